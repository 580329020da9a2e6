package softroce

import "dpukv/verbs/softroce/wire"

import (
	"bytes"
	"net/netip"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/verbs"
)

// raw sends a packet as if the side's QP had made it. Its ICRC is right, except for changes by
// spoil.
func (s *side) raw(p wire.Packet, spoil func([]byte)) {
	s.t.Helper()
	q := s.qp.(*qp)
	to := must.Get(s.dev.pathTo(s.peer.qp.Local(), nil))(s.t)
	b := newBatch(s.dev)
	if p.DstQPN == 0 {
		p.DstQPN = s.peer.qp.Num()
	}
	p.Op |= wire.TransportOf(q.config.Type)
	must.Do(s.t, b.add(&to, &p))
	if spoil != nil {
		spoil(b.buf[:b.used])
	}
	must.Do(s.t, b.flush())
}

// protected makes a UC, UD or RC pair. Besides its open region, the receiver has one of another
// protection domain and one that peers may not write.
type protected struct {
	a, b           *side
	foreign, local verbs.MR
}

func newProtected(t *testing.T, typ verbs.QPType) *protected {
	a, b := pair(t, typ, Options{MTU: 256}, Options{MTU: 256})
	other := must.Get(b.dev.AllocPD())(t)
	return &protected{
		a: a, b: b,
		foreign: must.Get(other.AllocMR(4096, verbs.LocalWrite|verbs.RemoteWrite|verbs.RemoteRead))(t),
		local:   must.Get(b.pd.AllocMR(4096, verbs.LocalWrite))(t),
	}
}

// expect checks that b dropped the only received packet for a reason, and that no memory changed.
func (x *protected) expect(t *testing.T, reason string) {
	t.Helper()
	until(t, "what is to be dropped", func() bool { return dropped(x.b.dev) > 0 }, x.b)
	drain(t, x.b)
	c := x.b.dev.Counters()
	if c[reason] != 1 || dropped(x.b.dev) != 1 {
		t.Errorf("want 1 packet dropped as %s: %v", reason, c)
	}
	for _, m := range []verbs.MR{x.b.mr, x.foreign, x.local} {
		if !bytes.Equal(m.Bytes(), make([]byte, len(m.Bytes()))) {
			t.Error("memory was touched")
		}
	}
}

func TestWriteProtection(t *testing.T) {
	for name, test := range map[string]struct {
		reason string
		change func(x *protected, p *wire.Packet) // of a good packet
		spoil  func(b []byte)                     // after its ICRC; nil: not
	}{
		"wrong key": {"bad_rkey", func(_ *protected, p *wire.Packet) { p.RKey++ }, nil},
		"key 0":     {"bad_rkey", func(_ *protected, p *wire.Packet) { p.RKey = 0 }, nil},
		"key of a closed region": {"bad_rkey", func(x *protected, p *wire.Packet) {
			m := must.Get(x.b.pd.AllocMR(64, verbs.RemoteWrite))(t)
			p.VA, p.RKey = m.Addr(), m.RKey()
			m.Close()
		}, nil},
		"key of another protection domain": {"bad_rkey", func(x *protected, p *wire.Packet) {
			p.VA, p.RKey = x.foreign.Addr(), x.foreign.RKey()
		}, nil},
		"region without RemoteWrite": {"no_remote_access", func(x *protected, p *wire.Packet) {
			p.VA, p.RKey = x.local.Addr(), x.local.RKey()
		}, nil},
		"one byte before the region": {"out_of_region", func(_ *protected, p *wire.Packet) { p.VA-- }, nil},
		"one byte beyond the region": {"out_of_region", func(x *protected, p *wire.Packet) {
			p.VA += uint64(len(x.b.mr.Bytes()) - 7)
		}, nil},
		"end wraps around": {"out_of_region", func(_ *protected, p *wire.Packet) { p.VA = 1<<64 - 4 }, nil},
		"message longer than the region, packet not": {"out_of_region", func(_ *protected, p *wire.Packet) {
			p.Op, p.Payload, p.DMALen = wire.OpWriteFirst, make([]byte, 256), 1<<30
		}, nil},
		"length of the message is not that of the packet": {"bad_message", func(_ *protected, p *wire.Packet) {
			p.DMALen = 9
		}, nil},
		"first packet too short": {"bad_message", func(_ *protected, p *wire.Packet) {
			p.Op, p.DMALen = wire.OpWriteFirst, 1000
		}, nil},
		"longer than the MTU": {"bad_message", func(_ *protected, p *wire.Packet) {
			p.Payload, p.DMALen = make([]byte, 260), 260
		}, nil},
		"middle without a first": {"out_of_sequence", func(_ *protected, p *wire.Packet) {
			p.Op, p.Payload = wire.OpWriteMiddle, make([]byte, 256)
		}, nil},
		"stale PSN": {"stale_psn", func(_ *protected, p *wire.Packet) { p.PSN = (p.PSN - 1) & wire.PSNMask }, nil},
		"immediate, and no receive": {"no_receive", func(_ *protected, p *wire.Packet) {
			p.Op = wire.OpWriteOnlyImm
		}, nil},
		"bad ICRC":        {"bad_icrc", nil, func(b []byte) { b[len(b)-1] ^= 0x10 }},
		"payload changed": {"bad_icrc", nil, func(b []byte) { b[30] ^= 1 }},
		"cut":             {"bad_icrc", nil, func(b []byte) { copy(b[len(b)-8:], b[len(b)-4:]) }},
		"unknown QP": {"unknown_qp", func(x *protected, p *wire.Packet) {
			p.DstQPN = x.b.qp.Num() ^ 0x20000
		}, nil},
		"another service's opcode": {"wrong_transport", func(_ *protected, p *wire.Packet) {
			p.Op = wire.TransportUD | wire.OpSendOnly // with UC's bit: UD
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			x := newProtected(t, verbs.UC)
			p := wire.Packet{
				Op: wire.OpWriteOnly, PSN: x.a.qp.(*qp).psn, VA: x.b.mr.Addr(), RKey: x.b.mr.RKey(), DMALen: 8,
				Payload: []byte("12345678"),
			}
			if test.change != nil {
				test.change(x, &p)
			}
			x.a.raw(p, test.spoil)
			x.expect(t, test.reason)
			// And the QP still works.
			wr := x.a.write(0, 64, 8)
			fill(x.a.mr.Bytes()[64:72], 1)
			x.a.qp.(*qp).nextPSN = (x.a.qp.(*qp).psn + 1) & wire.PSNMask
			x.a.post(wr)
			drain(t, x.b)
			if !bytes.Equal(x.b.mr.Bytes()[64:72], x.a.mr.Bytes()[64:72]) {
				t.Error("a good write did not come through afterwards")
			}
		})
	}
}

// TestWrongSource checks that a third device that knows all numbers of a connection still cannot
// write.
func TestWrongSource(t *testing.T) {
	x := newProtected(t, verbs.UC)
	thief := newSide(t, openTest(t, Options{MTU: 256}), verbs.UC, testSizes)
	thief.peer = x.b
	thief.raw(wire.Packet{
		Op: wire.OpWriteOnly, PSN: x.a.qp.(*qp).psn, VA: x.b.mr.Addr(), RKey: x.b.mr.RKey(), DMALen: 4,
		Payload: []byte("mine"),
	}, nil)
	x.expect(t, "wrong_source")
}

func TestNotConnected(t *testing.T) {
	x := newProtected(t, verbs.UC)
	fresh := newSide(t, x.b.dev, verbs.UC, testSizes)
	x.a.raw(wire.Packet{Op: wire.OpSendOnly, DstQPN: fresh.qp.Num()}, nil)
	x.expect(t, "not_connected")
	fresh.qp.Close()
	x.a.raw(wire.Packet{Op: wire.OpSendOnly, DstQPN: fresh.qp.Num()}, nil)
	drain(t, x.b)
	if c := x.b.dev.Counters(); c["unknown_qp"] != 1 {
		t.Errorf("%v", c)
	}
	again := newSide(t, x.b.dev, verbs.UC, testSizes)
	if again.qp.Num() == fresh.qp.Num() {
		t.Error("the number of a closed QP is used again at once")
	}
}

func TestDatagramProtection(t *testing.T) {
	for name, test := range map[string]struct {
		reason  string
		receive int // bytes; 0: none posted
		send    func(x *protected) verbs.SendWR
	}{
		"wrong Q_Key": {"bad_qkey", 512, func(x *protected) verbs.SendWR {
			wr := x.a.send(0, 0, 32)
			wr.QKey++
			return wr
		}},
		"no receive":        {"no_receive", 0, func(x *protected) verbs.SendWR { return x.a.send(0, 0, 32) }},
		"receive too small": {"receive_too_small", 71, func(x *protected) verbs.SendWR { return x.a.send(0, 0, 32) }},
		"no room for a GRH": {"receive_too_small", 39, func(x *protected) verbs.SendWR { return x.a.send(0, 0, 0) }},
		"no such QP": {"unknown_qp", 512, func(x *protected) verbs.SendWR {
			wr := x.a.send(0, 0, 32)
			wr.QPN = 1
			return wr
		}},
		"larger than an MTU": {"bad_message", 512, nil},
	} {
		t.Run(name, func(t *testing.T) {
			x := newProtected(t, verbs.UD)
			fill(x.a.mr.Bytes(), 1)
			if test.receive > 0 {
				x.b.postRecv(0, 0, test.receive)
			}
			if test.send != nil {
				x.a.post(test.send(x))
			} else {
				x.a.raw(wire.Packet{Op: wire.OpSendOnly, QKey: testQKey, Payload: make([]byte, 300)}, nil)
			}
			x.expect(t, test.reason)
		})
	}
}

// TestReceiveMemoryGone checks that a posted receive whose region was closed is not written.
func TestReceiveMemoryGone(t *testing.T) {
	x := newProtected(t, verbs.UD)
	m := must.Get(x.b.pd.AllocMR(4096, verbs.LocalWrite))(t)
	x.b.qp.PostRecv([]verbs.RecvWR{{Local: verbs.SGE{Addr: m.Addr(), Length: 4096, LKey: m.LKey()}}})
	must.Do(t, m.Close())
	x.a.post(x.a.send(0, 0, 32))
	x.expect(t, "local_protection")
}

// TestGapInMessage checks that a message with a missing packet ends there, and that the next one is
// complete.
func TestGapInMessage(t *testing.T) {
	lost := -1
	seen := 0
	a, b := pair(t, verbs.UC, Options{MTU: 256},
		Options{MTU: 256, hooks: hooks{received: func(p []byte, deliver func([]byte)) {
			if seen != lost {
				deliver(p)
			}
			seen++
		}}})
	for _, missing := range []int{0, 1, 3} { // of four packets
		lost, seen = missing, 0
		clear(b.mr.Bytes())
		fill(a.mr.Bytes()[:2048], byte(missing+1))
		a.post(a.write(0, 0, 1024), a.write(0, 1024, 1024))
		drain(t, b)
		want := make([]byte, 2048)
		copy(want, a.mr.Bytes()[:256*missing])
		copy(want[1024:], a.mr.Bytes()[1024:2048])
		if !bytes.Equal(b.mr.Bytes()[:2048], want) {
			t.Errorf("packet %d lost: memory differs", missing)
		}
	}
	if c := b.dev.Counters(); c["psn_gaps"] != 3 || c["out_of_sequence"] != 3+2 {
		t.Errorf("%v", c)
	}
}

func TestPostRefuses(t *testing.T) {
	x := newProtected(t, verbs.UC)
	ud, _ := pair(t, verbs.UD, Options{MTU: 256}, Options{MTU: 256})
	for name, test := range map[string]struct {
		side   *side
		change func(*verbs.SendWR)
	}{
		"wrong key":        {x.a, func(wr *verbs.SendWR) { wr.Local.LKey++ }},
		"out of region":    {x.a, func(wr *verbs.SendWR) { wr.Local.Addr += uint64(len(x.a.mr.Bytes())) - 31 }},
		"READ on UC":       {x.a, func(wr *verbs.SendWR) { wr.Op = verbs.OpRead }},
		"no operation":     {x.a, func(wr *verbs.SendWR) { wr.Op = 0 }},
		"inline too long":  {x.a, func(wr *verbs.SendWR) { wr.Flags |= verbs.Inline; wr.Local.Length = 513 }},
		"WRITE on UD":      {ud, func(wr *verbs.SendWR) { wr.Op = verbs.OpWrite }},
		"UD above the MTU": {ud, func(wr *verbs.SendWR) { wr.Local.Length = 257 }},
		"no such AH":       {ud, func(wr *verbs.SendWR) { wr.AH = 77 }},
	} {
		good, bad := test.side.send(1, 0, 32), test.side.send(2, 0, 32)
		test.change(&bad)
		n, err := test.side.qp.PostSend([]verbs.SendWR{good, bad, good})
		if n != 1 || err == nil {
			t.Errorf("%s: took %d, %v", name, n, err)
			continue
		}
		t.Logf("%s: %v", name, err)
		if wcs := completions(t, test.side.sendCQ, 1); wcs[0].ID != 1 {
			t.Errorf("%s: completion %+v", name, wcs[0])
		}
	}
	if _, err := x.b.qp.PostRecv([]verbs.RecvWR{{Local: verbs.SGE{
		Addr: 1, Length: 1,
		LKey: x.b.mr.LKey(),
	}}}); err == nil {
		t.Error("a receive outside its region was taken")
	}
}

func TestGIDMustBeIPv4(t *testing.T) {
	a := newSide(t, openTest(t, Options{}), verbs.UD, testSizes)
	peer := a.qp.Local()
	peer.GID = verbs.GIDFromAddr(netip.MustParseAddr("fe80::1"))
	if _, err := a.pd.CreateAH(peer); err == nil {
		t.Error("an address handle for IPv6 was made")
	} else {
		t.Log(err)
	}
}
