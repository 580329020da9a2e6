package redirect

import (
	"encoding/binary"
	"errors"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"dpukv/internal/test/kernel"
	"dpukv/internal/test/must"
	"dpukv/placement/submode/packetfilter"
)

// A store's operations, in the lowest three bits of a byte.
const (
	getOpcode uint8 = iota + 1
	setOpcode
	addOpcode
	deleteOpcode
)

// requests describes a store whose partitions send from 0xc001 and the ports after it.
var requests = &packetfilter.Requests{
	Port:          4791,
	SourcePort:    func(partition int) uint16 { return 0xc001 + uint16(partition) },
	OpcodeFromEnd: 5, OpcodeMask: 7,
	OpcodeName: func(opcode uint8) string {
		return []string{"none", "GET", "SET", "ADD", "DELETE", "5", "6", "7"}[opcode]
	},
}

// frame is an Ethernet frame with IPv4 and UDP. Cases change parts of it.
type frame struct {
	source   [4]byte
	from, to uint16
	payload  []byte
}

func (f frame) bytes(change func(b []byte)) []byte {
	b := make([]byte, bthAt, bthAt+len(f.payload))
	b = append(b, f.payload...)
	b[12], b[13], b[14] = 0x08, 0x00, 0x45
	binary.BigEndian.PutUint16(b[16:], uint16(len(b)-14))
	b[23] = unix.IPPROTO_UDP
	copy(b[26:], f.source[:])
	binary.BigEndian.PutUint16(b[udpAt:], f.from)
	binary.BigEndian.PutUint16(b[udpAt+2:], f.to)
	binary.BigEndian.PutUint16(b[udpLengthAt:], uint16(len(b)-udpAt))
	if change != nil {
		change(b)
	}
	return b
}

// loaded makes the program for a filter. run runs it on a frame, and reports whether it drops the
// frame.
func loaded(t *testing.T, words string) (p *ebpf.Program, run func(b []byte) (drops bool)) {
	t.Helper()
	f := must.Get(packetfilter.Parse(strings.Fields(words)))(t)
	p, err := load(1, &f, requests)
	if errors.Is(err, unix.EPERM) || errors.Is(err, ebpf.ErrNotSupported) || os.Geteuid() != 0 {
		t.Skip("this kernel, or this user, loads no programs: ", err)
	}
	if err != nil {
		t.Fatalf("%+v", err)
	}
	t.Cleanup(func() { _ = p.Close() })
	const redirected = 7 // TC_ACT_REDIRECT
	return p, func(b []byte) bool {
		t.Helper()
		result, _, err := p.Test(b)
		if errors.Is(err, ebpf.ErrNotSupported) {
			t.Skip("this kernel has no BPF_PROG_TEST_RUN: ", err)
		}
		if err != nil || result != shot && result != redirected {
			t.Fatalf("the program returned %d, %v", result, err)
		}
		return result == shot
	}
}

// TestMatch: a filter drops the requested packets and no others.
func TestMatch(t *testing.T) {
	kernel.NeedBPF(t)
	_, drops := loaded(t, "drop-client:192.0.2.200 drop-client:10.0.0.7-10.0.0.9 drop-client:1.2.3.4 drop-key-hash:1-2")
	from := func(a, b, c, d byte) frame {
		return frame{source: [4]byte{a, b, c, d}, from: 0xc001, to: 4791, payload: make([]byte, 64)}
	}
	set := func(at int, value byte) func([]byte) { return func(b []byte) { b[at] = value } }
	port := func(f frame, from, to uint16) frame { f.from, f.to = from, to; return f }
	other := from(198, 51, 100, 1)
	for name, c := range map[string]struct {
		b    []byte
		want bool
	}{
		"a client": {from(192, 0, 2, 200).bytes(nil), true}, "its neighbour": {from(192, 0, 2, 201).bytes(nil), false},
		"the first": {from(10, 0, 0, 7).bytes(nil), true},
		"the last":  {from(10, 0, 0, 9).bytes(nil), true}, "before": {from(10, 0, 0, 6).bytes(nil), false},
		"after":    {from(10, 0, 0, 10).bytes(nil), false},
		"reversed": {from(4, 3, 2, 1).bytes(nil), false}, "positive": {from(1, 2, 3, 4).bytes(nil), true},
		"client, no UDP":        {from(192, 0, 2, 200).bytes(set(23, unix.IPPROTO_TCP)), true},
		"client, not IPv4":      {from(192, 0, 2, 200).bytes(set(13, 0x06)), false},
		"client, only a header": {from(192, 0, 2, 200).bytes(nil)[:34], true},
		"partition 0":           {other.bytes(nil), false},
		"partition 1":           {port(other, 0xc002, 4791).bytes(nil), true},
		"partition 2":           {port(other, 0xc003, 4791).bytes(nil), true},
		"partition 3":           {port(other, 0xc004, 4791).bytes(nil), false},
		"partition, cut":        {port(other, 0xc002, 4791).bytes(nil)[:41], false},
		"port, no RoCE":         {port(other, 0xc002, 4792).bytes(nil), false},
		"port, TCP":             {port(other, 0xc002, 4791).bytes(set(23, unix.IPPROTO_TCP)), false},
		"port, options":         {port(other, 0xc002, 4791).bytes(set(14, 0x46)), false},
		"port, fragment":        {port(other, 0xc002, 4791).bytes(set(21, 9)), false},
		"port, more fragments":  {port(other, 0xc002, 4791).bytes(set(20, 0x20)), false},
		"port, not fragmented":  {port(other, 0xc002, 4791).bytes(set(20, 0x40)), true},
		"port, not IPv4":        {port(other, 0xc002, 4791).bytes(set(12, 0x86)), false},
	} {
		if got := drops(c.b); got != c.want {
			t.Errorf("%s: dropped %v, want %v", name, got, c.want)
		}
	}
}

// TestCountRequest counts the packets that end a request, by operation.
func TestCountRequest(t *testing.T) {
	kernel.NeedBPF(t)
	program, drops := loaded(t, "count-opcode drop-client:192.0.2.1 drop-key-hash:7")
	request := func(bth byte, op uint8, padding int) frame {
		payload := make([]byte, 12+16+32+padding+4)
		payload[0], payload[1] = bth, byte(padding)<<4
		// The other bits of this byte are no part of the operation.
		payload[len(payload)-4-padding-requests.OpcodeFromEnd] = op | 0x50
		return frame{[4]byte{198, 51, 100, 1}, 0xc001, 4791, payload}
	}
	tcp := func(b []byte) { b[23] = unix.IPPROTO_TCP }
	for _, b := range [][]byte{
		request(ucWriteOnly, getOpcode, 0).bytes(nil), request(ucWriteOnly, getOpcode, 3).bytes(nil),
		request(ucWriteLast, setOpcode, 0).bytes(nil), request(ucWriteOnly, setOpcode, 1).bytes(nil),
		request(ucWriteOnly, getOpcode, 0).bytes(nil), request(ucWriteOnly, deleteOpcode, 0).bytes(nil),
		// These are no requests.
		request(0x27, getOpcode, 0).bytes(nil), request(0x64, getOpcode, 0).bytes(nil),
		request(ucWriteOnly, getOpcode, 0).bytes(tcp),
		request(ucWriteOnly, getOpcode, 0).bytes(nil)[:60],
		{0: 1, 13: 6, 59: 0},
		request(ucWriteOnly, getOpcode, 0).bytes(func(b []byte) { b[udpLengthAt+1] = 12 }),
	} {
		if drops(b) {
			t.Errorf("%x was dropped", b)
		}
	}
	dropped := request(ucWriteOnly, addOpcode, 0)
	dropped.from = 0xc008
	if !drops(dropped.bytes(nil)) {
		t.Error("a request that is to be dropped passed")
	}
	var c Counts
	must.Do(t, c.add(program, requests))
	if want := map[string]uint64{"GET": 3, "SET": 2, "DELETE": 1}; !maps.Equal(c.Opcodes, want) || c.Passed != 12 ||
		c.Dropped != 1 || c.Uncut != 0 {
		t.Errorf("got %+v, want %v", c, want)
	}
}

// TestUncut: a train of requests is one packet here. Nobody has counted its operations.
func TestUncut(t *testing.T) {
	kernel.NeedBPF(t)
	program, drops := loaded(t, "count-opcode")
	b := frame{[4]byte{198, 51, 100, 1}, 0xc001, 4791, append([]byte{ucWriteOnly}, make([]byte, 99)...)}.bytes(nil)
	drops(b)
	skb := make([]byte, 192)
	binary.NativeEndian.PutUint32(skb[skbGSOSegments:], 5)
	if _, err := program.Run(&ebpf.RunOptions{Data: b, Context: skb}); err != nil {
		t.Skip("this kernel lets no test say what is a train: ", err)
	}
	var c Counts
	if err := c.add(program, requests); err != nil || c.Uncut != 1 || len(c.Opcodes) != 1 {
		t.Errorf("got %+v, %v, want one train", c, err)
	}
}

// TestNoFilter: without a filter, a packet is only counted and sent on.
func TestNoFilter(t *testing.T) {
	code, err := match(&packetfilter.Filter{}, requests)
	if err != nil || len(code) > 0 {
		t.Errorf("got %v, %v", code, err)
	}
}
