package softroce

import "dpukv/verbs/softroce/wire"

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"
	"dpukv/verbs"
)

// pcap is a capture file of Ethernet frames around IPv4 packets.
func pcap(packets [][]byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, 0xa1b2c3d4)
	b = append(b, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 1, 0, 0, 0)
	for i, p := range packets {
		n := uint32(14 + len(p))
		for _, v := range []uint32{uint32(i), 0, n, n} {
			b = binary.LittleEndian.AppendUint32(b, v)
		}
		b = append(b, 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0)
		b = append(b, p...)
	}
	return b
}

// ipPacket puts the kernel's headers around a UDP payload, without checksums.
func ipPacket(from *device, to *path, ipID uint16, payload []byte) []byte {
	const udpBytes = wire.PseudoHeaderBytes - wire.IPv4Bytes
	h := make([]byte, wire.IPv4Bytes, wire.PseudoHeaderBytes+len(payload))
	to.flow.PutIPHeader(h, len(payload), ipID)
	h[8] = 64 // TTL
	source := from.local.Addr().As4()
	copy(h[12:], source[:])
	copy(h[16:], to.name.Addr[:])
	b := append(h, 0x12, 0xb7, 0x12, 0xb7, 0, 0, 0, 0)
	binary.BigEndian.PutUint16(b[wire.IPv4Bytes+4:], uint16(udpBytes+len(payload)))
	return append(b, payload...)
}

// referenceICRC computes the ICRC of a whole IPv4 packet bit by bit, as in the annex. It shares no
// code with the device.
func referenceICRC(ip []byte) uint32 {
	b := append(bytes.Repeat([]byte{0xff}, 8), ip[:len(ip)-4]...)
	for _, masked := range []int{1, 8, 10, 11, 20 + 6, 20 + 7, 28 + 4} { // TOS, TTL, checksum, UDP checksum, BTH
		b[8+masked] = 0xff
	}
	crc := ^uint32(0)
	for _, v := range b {
		crc ^= uint32(v)
		for range 8 {
			if crc&1 != 0 {
				crc = crc>>1 ^ 0xedb88320
			} else {
				crc >>= 1
			}
		}
	}
	return ^crc
}

// checkICRCs checks every packet's with the reference.
func checkICRCs(t *testing.T, packets [][]byte) {
	t.Helper()
	for i, p := range packets {
		if got, want := binary.LittleEndian.Uint32(p[len(p)-4:]), referenceICRC(p); got != want {
			t.Errorf("packet %d, opcode %#x, IP ID %d: ICRC %08x, want %08x", i, p[28], binary.BigEndian.Uint16(p[4:]),
				got, want)
		}
	}
}

func TestReferenceICRC(t *testing.T) {
	var packets [][]byte
	for i := range recorded {
		if !recorded[i].bad {
			packets = append(packets, recordedPacket(t, i))
		}
	}
	checkICRCs(t, packets)
}

// TestDissected lets Wireshark's dissector read one of every kind of packet.
func TestDissected(t *testing.T) {
	var packets [][]byte
	var devices [2]*device
	record := func(from int) hooks {
		return hooks{sent: func(to *path, ipID uint16, p []byte) {
			packets = append(packets, ipPacket(devices[from], to, ipID, p))
		}}
	}
	for i := range devices {
		devices[i] = openTest(t, Options{MTU: 256, AckTimeout: 5 * time.Second, hooks: record(i)})
	}
	for _, typ := range []verbs.QPType{verbs.UC, verbs.UD, verbs.RC} {
		a, b := newSide(t, devices[0], typ, testSizes), newSide(t, devices[1], typ, testSizes)
		connect(t, a, b)
		allOperations(t, a, b)
	}
	kinds := map[byte]bool{}
	for _, p := range packets {
		kinds[p[28]] = true
	}
	for o := range 256 {
		if wire.Opcode(o).Known() && !kinds[byte(o)] {
			t.Errorf("no packet with opcode %#x", o)
		}
	}
	checkICRCs(t, packets)
	dissect(t, packets)
}

// allOperations runs all operations of a QP, in sizes that make all kinds of packets.
func allOperations(t *testing.T, a, b *side) {
	ops := []verbs.SendOp{verbs.OpSend, verbs.OpSendImm, verbs.OpWrite, verbs.OpWriteImm, verbs.OpRead}
	lengths := []int{3, 700}
	switch a.qp.Type() {
	case verbs.UC:
		ops = ops[:4]
	case verbs.UD:
		ops, lengths = ops[:2], []int{3, 256}
	}
	id := uint64(0)
	for _, op := range ops {
		for _, n := range lengths {
			b.postRecv(id, 4096, 1000)
			wr := a.write(id, 0, n)
			if op == verbs.OpSend || op == verbs.OpSendImm {
				wr = a.send(id, 0, n)
			}
			wr.Op, wr.Imm = op, 0x01020304
			a.post(wr, wr)
			b.postRecv(id, 4096, 1000)
			completions(t, a.sendCQ, 2, a, b)
			drain(t, a, b)
			id++
		}
	}
}

// dissect compares tshark's output with the intended packets. Version 4.0 shows the ICRC and does
// not verify it; checkICRCs does.
func dissect(t *testing.T, packets [][]byte) {
	t.Helper()
	tshark := programs.Need(t, "tshark")
	file := filepath.Join(t.TempDir(), "packets.pcap")
	must.Do(t, os.WriteFile(file, pcap(packets), 0o600))
	fields := []string{
		"infiniband.bth.opcode", "infiniband.bth.destqp", "infiniband.bth.psn", "infiniband.bth.padcnt",
		"infiniband.reth.dmalen", "infiniband.invariant.crc", "_ws.malformed", "_ws.expert.message",
	}
	// Not the guess that what RC sends is NFS.
	args := []string{"-r", file, "-T", "fields", "-E", "separator=|", "--disable-protocol", "rpcordma"}
	for _, f := range fields {
		args = append(args, "-e", f)
	}
	var complaints bytes.Buffer
	cmd := exec.Command(tshark, args...)
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("tshark: %v\n%s", err, complaints.String())
	}
	lines := strings.Split(strings.TrimRight(string(out), "\n"), "\n")
	if len(lines) != len(packets) {
		t.Fatalf("tshark read %d of %d packets\n%s", len(lines), len(packets), out)
	}
	for i, p := range packets {
		if want := asDissected(t, p); lines[i] != want {
			t.Errorf("packet %d: tshark reads %s, want %s", i, lines[i], want)
		}
	}
}

// asDissected is tshark's line for a packet.
func asDissected(t *testing.T, ip []byte) string {
	var p wire.Packet
	if why := p.Parse(bytes.Clone(ip[wire.PseudoHeaderBytes:])); why != wire.WellFormed {
		t.Fatalf("our own packet: %s", counterNames[faultCounters[why]])
	}
	length := ""
	if p.Op.Shape().RETH {
		length = fmt.Sprint(p.DMALen)
	}
	return fmt.Sprintf("%d|0x%06x|%d|%d|%s|0x%08x||", p.Op, p.DstQPN, p.PSN, wire.Padding(len(p.Payload)), length,
		binary.BigEndian.Uint32(ip[len(ip)-4:]))
}
