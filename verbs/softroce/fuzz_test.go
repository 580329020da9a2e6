package softroce

import "dpukv/verbs/softroce/wire"

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"testing"

	"dpukv/verbs"
)

// Each packet of a fuzzer's input begins with what is to be right about it.
const (
	fuzzQP     = 0x03 // which QP it goes to; 3: that of its own BTH
	fuzzPSN    = 0x04 // its PSN is the one expected, and a signed byte
	fuzzKey    = 0x08 // its key is right, and its address within the region
	fuzzHost   = 0x10 // it comes from a stranger's address
	fuzzHeader = 4    // these bits, the byte for the PSN, and the length
)

// FuzzPackets gives a device whole packets, with an ICRC that is right, for a UC, a UD and an RC
// QP. Whatever they are, it goes on. Nothing is written but where a key was right, and other QPs do
// not notice. The UC QP's next message comes through, unless the fuzzer had its key.
func FuzzPackets(f *testing.F) {
	for _, seed := range fuzzSeeds() {
		f.Add(seed)
	}
	here, there := openTest(f, Options{MTU: 256}), openTest(f, Options{MTU: 256})
	stranger := testAddr()
	f.Fuzz(func(t *testing.T, input []byte) {
		x := newFuzzed(t, here, there)
		defer x.close()
		for len(input) >= fuzzHeader {
			n := min(int(binary.LittleEndian.Uint16(input[2:]))%600, len(input)-fuzzHeader)
			from := here.local
			if input[0]&fuzzHost != 0 {
				from = netip.AddrPortFrom(stranger, verbs.RoCEPort)
			}
			x.inject(from, x.packet(input[0], int8(input[1]), input[fuzzHeader:fuzzHeader+n]))
			x.hadKey = x.hadKey || input[0]&fuzzKey != 0
			input = input[fuzzHeader+n:]
		}
		x.check(t)
	})
}

// fuzzSeeds are a packet of each kind, real and wrong, and what broke a device once.
func fuzzSeeds() (seeds [][]byte) {
	seed := func(bits byte, psn int8, p wire.Packet) []byte {
		b := make([]byte, p.Bytes())
		p.Put(b)
		return append([]byte{bits, byte(psn), byte(len(b)), byte(len(b) >> 8)}, b...)
	}
	var all []byte
	for qp, transport := range []wire.Opcode{wire.TransportUC, wire.TransportUD, wire.TransportRC} {
		for op := range wire.OpAck + 1 {
			p := wire.Packet{Op: transport | op, DMALen: 8, QKey: testQKey, Payload: []byte("12345678")}
			if s := op.Shape(); !s.Last {
				p.Payload, p.DMALen = make([]byte, 256), 512
			} else if s.Kind == wire.KindReadRequest || s.Kind == wire.KindAck {
				p.Payload = nil
			}
			one := seed(byte(qp)|fuzzPSN|fuzzKey, 0, p)
			seeds, all = append(seeds, one), append(all, one...)
		}
	}
	forged := wire.Packet{Op: wire.TransportUC | wire.OpWriteOnly, DMALen: 4, RKey: 7, Payload: []byte("evil")}
	repeated := wire.Packet{Op: wire.TransportRC | wire.OpReadRequest, DMALen: 64, RKey: 7}
	return append(seeds, all, seed(0|fuzzPSN, 100, forged), seed(2|fuzzPSN, -3, repeated))
}

// fuzzed are QPs to which packets are made up, and others beside them.
type fuzzed struct {
	ends       [3]*side // of the device attacked: UC, UD, RC
	bystanders [2]*side // senders: UC, RC
	foreign    verbs.MR // of another protection domain
	sealed     verbs.MR // for nobody's writes
	hadKey     bool
}

func newFuzzed(t *testing.T, here, there *device) *fuzzed {
	z := sizes{memory: 8192, queue: 8, depth: 64}
	x := new(fuzzed)
	for i, typ := range []verbs.QPType{verbs.UC, verbs.UD, verbs.RC, verbs.UC, verbs.RC} {
		a, b := newSide(t, here, typ, z), newSide(t, there, typ, z)
		connect(t, a, b)
		if i < len(x.ends) {
			x.ends[i] = b
			b.postRecv(1, 4096, 512)
			b.postRecv(2, 4096, 64)
		} else {
			x.bystanders[i-len(x.ends)] = a
		}
	}
	x.foreign = must(must(there.AllocPD())(t).AllocMR(4096, verbs.RemoteWrite|verbs.RemoteRead))(t)
	x.sealed = must(x.ends[0].pd.AllocMR(4096, verbs.LocalWrite))(t)
	return x
}

func (x *fuzzed) close() {
	for _, s := range append(x.ends[:], x.bystanders[:]...) {
		for _, s := range []*side{s, s.peer} {
			s.qp.Close()
			s.mr.Close()
			if s.ah != nil {
				s.ah.Close()
			}
		}
	}
	x.foreign.Close()
	x.sealed.Close()
}

// packet makes b one that says what its bits tell, with all the rest as it is.
func (x *fuzzed) packet(bits byte, psn int8, b []byte) []byte {
	p := append(make([]byte, 0, len(b)+wire.BTHBytes+wire.ICRCBytes), b...)
	p = append(p, make([]byte, max(0, wire.BTHBytes+wire.ICRCBytes-len(p))+wire.Padding(len(p)))...)
	p = p[:len(p)&^3]
	end := x.ends[min(int(bits&fuzzQP), len(x.ends)-1)]
	q := end.qp.(*qp)
	if bits&fuzzQP != fuzzQP {
		binary.BigEndian.PutUint32(p[4:], q.num)
	}
	if bits&fuzzPSN != 0 {
		binary.BigEndian.PutUint32(p[8:], (q.expected+uint32(int32(psn)))&wire.PSNMask|uint32(p[8])<<24)
	}
	if o := wire.Opcode(p[0]); bits&fuzzKey != 0 && o.Shape().RETH && o&wire.TransportMask != wire.TransportUD && len(p) >= wire.BTHBytes+wire.RETHBytes {
		at := p[wire.BTHBytes:]
		binary.BigEndian.PutUint64(at, end.mr.Addr()+binary.BigEndian.Uint64(at)%8192)
		binary.BigEndian.PutUint32(at[8:], end.mr.RKey())
	}
	return p
}

// inject gives the device a packet as if the socket had brought it.
func (x *fuzzed) inject(from netip.AddrPort, b []byte) {
	d := x.ends[0].dev
	r := &d.receiver
	r.mu.Lock()
	defer r.mu.Unlock()
	d.objects.RLock()
	defer d.objects.RUnlock()
	r.meet(from)
	r.nextID = 0
	if len(b) <= wire.MaxPacketBytes {
		r.flow.Seal(b, 0)
	}
	r.deliver(b)
	r.finish()
	r.flushCompletions()
}

func (x *fuzzed) check(t *testing.T) {
	for what, m := range map[string]verbs.MR{"another domain": x.foreign, "a region for nobody": x.sealed} {
		if !bytes.Equal(m.Bytes(), make([]byte, len(m.Bytes()))) {
			t.Errorf("%s was written", what)
		}
	}
	senders := x.bystanders[:]
	if !x.hadKey {
		senders = append(senders, x.ends[0].peer)
	}
	for i, a := range senders {
		fill(a.mr.Bytes()[:1000], byte(i+1))
		a.post(a.write(5, 0, 1000))
		if wc := completions(t, a.sendCQ, 1, a, a.peer)[0]; wc.Status != verbs.StatusSuccess {
			t.Errorf("QP %d: %s", i, wc.Status)
		}
		until(t, "an honest write", func() bool { return bytes.Equal(a.mr.Bytes()[:1000], a.peer.mr.Bytes()[:1000]) }, a, a.peer)
	}
}
