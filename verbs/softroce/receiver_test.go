package softroce

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/verbs"
	"dpukv/verbs/softroce/wire"
)

// recorded are packets between the kernel's soft-RoCE, 192.168.77.2, and a program that built
// packets by hand. Payloads that are a pattern are left out.
var recorded = []struct {
	name    string
	head    string // from the IP header on
	payload []byte
	icrc    string
	bad     bool
}{
	{
		"rxe: UC write only", "4500004ccdb7400040115195c0a84d02c0a84d01" + "e67312b700380000" +
			"2a30ffff0000424200123456" + "deadbeef00112233cafe00010000000d", counted(13), "6a3e4a93", false,
	},
	{
		"rxe: UC write only with immediate", "45000060cde6400040115152c0a84d02c0a84d01" + "e67312b7004c0000" +
			"2b00ffff0000424200123457" + "deadbeef00112233cafe000100000020" + "00001234", counted(32), "8a854f14",
		false,
	},
	{
		"rxe: UC write first", "4500043cce19400040114d43c0a84d02c0a84d01" + "e67312b704280000" +
			"2600ffff0000424200123458" + "deadbeef00112233cafe0001000009c4", counted(2500)[:1024], "2beb6277", false,
	},
	{
		"rxe: UC write middle", "4500042cce1a400040114d52c0a84d02c0a84d01" + "e67312b704180000" +
			"2700ffff0000424200123459", counted(2500)[1024:2048], "18a621c5", false,
	},
	{
		"rxe: UC write last", "450001f0ce1b400040114f8dc0a84d02c0a84d01" + "e67312b701dc0000" +
			"2800ffff000042420012345a", counted(2500)[2048:], "be9a4586", false,
	},
	{
		"rxe: UC send only", "45000034ce994000401150cbc0a84d02c0a84d01" + "e67312b700200000" +
			"2430ffff000042420012345b", counted(5), "4b15fc94", false,
	},
	{
		"rxe: UD send", "45000044ce2b400040115129c0a84d02c0a84d01" + "f80612b700300000" +
			"6430ffff0000001100000007" + "2222222200000012", counted(13), "7a44c636", false,
	},
	{
		"rxe: UD send with immediate", "45000040ce4a40004011510ec0a84d02c0a84d01" + "f80612b7002c0000" +
			"6500ffff0000001100000008" + "2222222200000012" + "12345678", counted(8), "daae67fa", false,
	},
	{
		"accepted by rxe: UC write only with immediate",
		"450000440000400040111f55c0a84d01c0a84d02" + "12b712b700301b96" +
			"2bc0ffff0000001100001389" + "00007f7d904fb12c000002bf00000004" + "deadbeef", []byte("IMM!"), "7de7fea4",
		false,
	},
	{
		"dropped by rxe for its ICRC", "450000400000400040111f59c0a84d01c0a84d02" + "12b712b7002c1b92" +
			"2a40ffff000000110000138a" + "00007f7d904fb190000002bf00000004", []byte("BAD!"), "399c93bf", true,
	},
}

func fromHex(t testing.TB, s string) []byte {
	t.Helper()
	return must.Get(hex.DecodeString(s))(t)
}

// flowOf returns the flow of an IP packet, its UDP payload, and its IP ID.
func flowOf(ip []byte) (wire.Flow, []byte, uint16) {
	src, dst := netip.AddrFrom4([4]byte(ip[12:])), netip.AddrFrom4([4]byte(ip[16:]))
	port := func(at int) uint16 { return uint16(ip[at])<<8 | uint16(ip[at+1]) }
	return wire.NewFlow(netip.AddrPortFrom(src, port(20)), netip.AddrPortFrom(dst, port(22))), ip[28:], port(4)
}

// counted are the bytes 1, 2, 3, …
func counted(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i + 1)
	}
	return b
}

func recordedPacket(t testing.TB, i int) []byte {
	r := &recorded[i]
	b := append(fromHex(t, r.head), r.payload...)
	b = append(b, make([]byte, wire.Padding(len(r.payload)))...)
	return append(b, fromHex(t, r.icrc)...)
}

func TestRecordedICRC(t *testing.T) {
	for i := range recorded {
		r := &recorded[i]
		f, b, id := flowOf(recordedPacket(t, i))
		got, ok := f.CheckICRC(b, 0)
		if ok == r.bad || ok && got != id {
			t.Errorf("%s: ICRC accepted %v with ID %#x; the ID is %#x", r.name, ok, got, id)
		}
		if id < wire.MaxSegments && !r.bad {
			sealed := bytes.Clone(b)
			f.Seal(sealed, id)
			if !bytes.Equal(sealed[len(b)-wire.ICRCBytes:], b[len(b)-wire.ICRCBytes:]) {
				t.Errorf("%s: sealed with % x", r.name, sealed[len(b)-wire.ICRCBytes:])
			}
		}
	}
}

// TestRecordedTaken checks that packets of the kernel's soft-RoCE have their effect. Only numbers
// that a peer would have received (QP, key, address) are translated, after the check of the packet.
func TestRecordedTaken(t *testing.T) {
	const va = 0xdeadbeef00112233
	d := openTest(t, Options{MTU: 1024})
	uc, ud := newSide(t, d, verbs.UC, testSizes), newSide(t, d, verbs.UD, testSizes)
	ud.qp.(*qp).config.QKey = 0x22222222
	rxe := verbs.Endpoint{
		Type: verbs.UC, LinkLayer: verbs.LinkEthernet, MTU: 1024, QPN: 0x11, PSN: 0x123456,
		GID: verbs.GIDFromAddr(netip.MustParseAddr("192.168.77.2")),
	}
	for _, s := range []*side{uc, ud} {
		must.Do(t, s.qp.Connect(rxe))
		for i := range 3 {
			s.postRecv(uint64(i), 32768+100*i, 100)
		}
	}
	for i := range recorded[:8] {
		f, b, _ := flowOf(recordedPacket(t, i))
		d.receiver.flow, d.receiver.address = f, [4]byte{192, 168, 77, 2}
		var p wire.Packet
		id, ok := f.CheckICRC(b, 0)
		if !ok {
			t.Fatalf("%s: ICRC", recorded[i].name)
		}
		d.receiver.ipID = id
		if why := p.Parse(b); why != wire.WellFormed {
			t.Fatalf("%s: %s", recorded[i].name, counterNames[faultCounters[why]])
		}
		if p.DMALen > 0 && p.VA != va {
			t.Fatalf("%s: address %#x", recorded[i].name, p.VA)
		}
		p.VA, p.RKey = uc.mr.Addr()+uint64(3000*i), uc.mr.RKey()
		target := uc
		if p.Op&wire.TransportMask == wire.TransportUD {
			target = ud
		}
		if why := d.receiver.dispatch(target.qp.(*qp), &p); why != noDrop {
			t.Errorf("%s: %s", recorded[i].name, counterNames[why])
		}
	}
	d.receiver.flushCompletions()
	memory := uc.mr.Bytes()
	for at, n := range map[int]int{0: 13, 3000: 32, 6000: 2500, 32768 + 100: 5} {
		if !bytes.Equal(memory[at:at+n], counted(n)) {
			t.Errorf("at %d: not the %d bytes sent", at, n)
		}
	}
	checkRecordedCompletions(t, uc, ud)
}

func checkRecordedCompletions(t *testing.T, uc, ud *side) {
	t.Helper()
	got := completions(t, uc.recvCQ, 2)
	got = append(got, completions(t, ud.recvCQ, 2)...)
	for i, want := range []verbs.WC{
		{ID: 0, QPN: uc.qp.Num(), Op: verbs.WCRecvWriteImm, Bytes: 32, HasImm: true, Imm: 0x1234},
		{ID: 1, QPN: uc.qp.Num(), Op: verbs.WCRecv, Bytes: 5},
		{ID: 0, QPN: ud.qp.Num(), Op: verbs.WCRecv, Bytes: 53, SrcQPN: 0x12},
		{ID: 1, QPN: ud.qp.Num(), Op: verbs.WCRecv, Bytes: 48, SrcQPN: 0x12, HasImm: true, Imm: 0x12345678},
	} {
		if got[i] != want {
			t.Errorf("completion %d: got %+v, want %+v", i, got[i], want)
		}
	}
	datagram := ud.mr.Bytes()[32768:]
	header := fromHex(t, "4500"+"0044"+"ce2b"+"4000"+"0011"+"0000"+"c0a84d02c0a84d01")
	if !bytes.Equal(datagram[20:40], header) || !bytes.Equal(datagram[40:53], counted(13)) {
		t.Errorf("datagram % x", datagram[:53])
	}
}

// FuzzPacket checks that no bytes make the device panic. Only a packet that is right in all
// respects may change memory.
func FuzzPacket(f *testing.F) {
	for i := range recorded {
		f.Add(recordedPacket(f, i)[wire.PseudoHeaderBytes:], false)
	}
	for _, op := range []wire.Opcode{0x00, 0x04, 0x0a, 0x0c, 0x10, 0x11, 0x20, 0x2a, 0x64} {
		p := wire.Packet{Op: op, Payload: make([]byte, 8)}
		b := make([]byte, p.Bytes())
		p.Put(b)
		f.Add(b, true)
	}
	d := openTest(f, Options{MTU: 256})
	var sides []*side
	for _, typ := range []verbs.QPType{verbs.UC, verbs.UD, verbs.RC} {
		sides = append(sides, newSide(f, d, typ, sizes{memory: 4096, queue: 16, depth: 64}))
	}
	from := netip.AddrPortFrom(netip.MustParseAddr("127.9.9.9"), verbs.RoCEPort)
	for _, s := range sides {
		peer := s.qp.Local()
		peer.GID, peer.PSN = verbs.GIDFromAddr(from.Addr()), 0
		must.Do(f, s.qp.Connect(peer))
	}
	d.receiver.flow, d.receiver.address = wire.NewFlow(from, d.local), from.Addr().As4()
	f.Fuzz(func(t *testing.T, b []byte, sealed bool) {
		fuzzOne(t, d, sides, bytes.Clone(b), sealed)
	})
}

func fuzzOne(t *testing.T, d *device, sides []*side, b []byte, sealed bool) {
	if sealed && len(b) >= wire.BTHBytes+wire.ICRCBytes && len(b) <= wire.MaxPacketBytes && len(b)&3 == 0 {
		// Beyond the ICRC, to one of the QPs.
		q := sides[int(b[0]>>5)%len(sides)].qp.(*qp)
		q.state.Store(int32(stateReady))
		binary.BigEndian.PutUint32(b[4:], q.num)
		d.receiver.flow.Seal(b, 0)
	}
	d.receiver.nextID = 0
	d.receiver.handle(b)
	d.receiver.finish()
	d.receiver.flushCompletions()
	for _, s := range sides {
		// No receive is posted and no key was published: the fuzzer would have to find both, and an
		// address.
		for i, v := range s.mr.Bytes() {
			if v != 0 {
				t.Fatalf("byte %d of the memory of %s was written", i, s.qp.Type())
			}
		}
	}
}

// Each packet of a fuzzer's input begins with bits that say which parts are right.
const (
	fuzzQP     = 0x03 // which QP it goes to; 3: that of its own BTH
	fuzzPSN    = 0x04 // its PSN is the one expected, and a signed byte
	fuzzKey    = 0x08 // its key is right, and its address within the region
	fuzzHost   = 0x10 // it comes from a stranger's address
	fuzzHeader = 4    // these bits, the byte for the PSN, and the length
)

// FuzzPackets gives a device whole packets with a right ICRC, for a UC, a UD and an RC QP. Whatever
// they are, the device goes on. Only a right key permits writing, and other QPs do not notice. The
// UC QP's next message arrives, unless the fuzzer had its key.
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

// fuzzSeeds are a packet of each kind, right and wrong, and an input that once broke a device.
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

// fuzzed has QPs that receive forged packets, and others beside them.
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
	x.foreign = must.Get(must.Get(there.AllocPD())(t).AllocMR(4096, verbs.RemoteWrite|verbs.RemoteRead))(t)
	x.sealed = must.Get(x.ends[0].pd.AllocMR(4096, verbs.LocalWrite))(t)
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

// packet makes b a packet with the properties in its bits; all the rest is right.
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
	if o := wire.Opcode(p[0]); bits&fuzzKey != 0 && o.Shape().RETH && o&wire.TransportMask != wire.TransportUD &&
		len(p) >= wire.BTHBytes+wire.RETHBytes {
		at := p[wire.BTHBytes:]
		binary.BigEndian.PutUint64(at, end.mr.Addr()+binary.BigEndian.Uint64(at)%8192)
		binary.BigEndian.PutUint32(at[8:], end.mr.RKey())
	}
	return p
}

// inject passes the device a packet as if from the socket.
func (x *fuzzed) inject(from netip.AddrPort, b []byte) {
	d := x.ends[0].dev
	r := &d.receiver
	r.mu.Lock()
	defer r.mu.Unlock()
	d.objects.RLock()
	defer d.objects.RUnlock()
	r.setOrigin(from)
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
		until(t, "an honest write", func() bool {
			return bytes.Equal(a.mr.Bytes()[:1000], a.peer.mr.Bytes()[:1000])
		}, a, a.peer)
	}
}
