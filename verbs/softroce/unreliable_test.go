package softroce

import "dpukv/verbs/softroce/wire"

import (
	"bytes"
	"testing"

	"dpukv/verbs"
)

// farPSNs are distances of a forged packet's PSN from the expected one.
var farPSNs = map[string]int{
	"next": 0, "a few ahead": 3, "far ahead": 1<<23 - 1, "half the circle": 1 << 23, "behind": -5,
	"far behind": -(1<<23 - 1),
}

// checkWrite writes a long message from a to b, and expects it there.
func checkWrite(t *testing.T, a, b *side, seed byte) {
	t.Helper()
	fill(a.mr.Bytes()[:2000], seed)
	a.post(a.write(uint64(seed), 0, 2000))
	if wc := completions(t, a.sendCQ, 1, a, b)[0]; wc.Status != verbs.StatusSuccess {
		t.Fatalf("write ended with %s", wc.Status)
	}
	drain(t, b)
	if !bytes.Equal(a.mr.Bytes()[:2000], b.mr.Bytes()[:2000]) {
		t.Errorf("write %d did not come through: %v", seed, b.dev.Counters())
	}
}

// forgeries are packets that anybody can forge who sends from the peer's address and knows the QP's
// number.
func forgeries(x *protected) map[string]wire.Packet {
	return map[string]wire.Packet{
		"wrong key": {
			Op: wire.OpWriteOnly, VA: x.b.mr.Addr(), RKey: x.b.mr.RKey() ^ 4, DMALen: 4,
			Payload: []byte("evil"),
		},
		"wrong key, first": {
			Op: wire.OpWriteFirst, VA: x.b.mr.Addr(), RKey: 7, DMALen: 512,
			Payload: make([]byte, 256),
		},
		"middle": {Op: wire.OpWriteMiddle, Payload: make([]byte, 256)},
		"last":   {Op: wire.OpWriteLast, Payload: []byte("evil")},
		"foreign region": {
			Op: wire.OpWriteOnly, VA: x.foreign.Addr(), RKey: x.foreign.RKey(), DMALen: 4,
			Payload: []byte("evil"),
		},
		"no bytes":             {Op: wire.OpWriteOnly},
		"immediate, no bytes":  {Op: wire.OpWriteOnlyImm, Imm: 1},
		"SEND":                 {Op: wire.OpSendOnly, Payload: []byte("evil")},
		"SEND, first of many":  {Op: wire.OpSendFirst, Payload: make([]byte, 256)},
		"SEND, middle of many": {Op: wire.OpSendMiddle, Payload: make([]byte, 256)},
	}
}

// TestForgedUC checks that the message after any forged packet arrives, with a receive posted for
// it or not.
func TestForgedUC(t *testing.T) {
	x := newProtected(t, verbs.UC)
	forger := x.a.qp.(*qp)
	seed := byte(0)
	for _, receive := range []bool{false, true} {
		for name, p := range forgeries(x) {
			for where, ahead := range farPSNs {
				if receive && x.b.posted() == 0 {
					x.b.postRecv(0, 1<<20, 4096)
				}
				p.PSN = (forger.nextPSN + uint32(ahead)) & wire.PSNMask
				x.a.raw(p, nil)
				drain(t, x.b)
				seed++
				checkWrite(t, x.a, x.b, seed)
				if t.Failed() {
					t.Fatalf("after %s, %s", name, where)
				}
			}
		}
	}
}

// TestForgedUCWithinMessage: what is refused does not even cost the message under way.
func TestForgedUCWithinMessage(t *testing.T) {
	for name := range forgeries(newProtected(t, verbs.UC)) {
		for where, ahead := range farPSNs {
			x := newProtected(t, verbs.UC)
			p := forgeries(x)[name]
			if needsNoKey := p.Op == wire.OpWriteOnly && p.DMALen == 0; needsNoKey {
				continue
			}
			q := x.a.qp.(*qp)
			payload := make([]byte, 512)
			fill(payload, 1)
			x.a.raw(wire.Packet{
				Op: wire.OpWriteFirst, PSN: q.psn, VA: x.b.mr.Addr(), RKey: x.b.mr.RKey(), DMALen: 512,
				Payload: payload[:256],
			}, nil)
			p.PSN = (q.psn + 1 + uint32(ahead)) & wire.PSNMask
			x.a.raw(p, nil)
			x.a.raw(wire.Packet{Op: wire.OpWriteLast, PSN: q.psn + 1, Payload: payload[256:]}, nil)
			drain(t, x.b)
			// A middle packet of exactly the next PSN is indistinguishable from the right one.
			if inSequence := p.Op == wire.OpWriteMiddle && ahead == 0; !inSequence &&
				!bytes.Equal(x.b.mr.Bytes()[:512], payload) {
				t.Errorf("%s, %s: the message is not whole: %v", name, where, x.b.dev.Counters())
			}
		}
	}
}

// TestGreatLoss checks that the next message arrives after a loss of half the circle of PSNs, or of
// any part.
func TestGreatLoss(t *testing.T) {
	x := newProtected(t, verbs.UC)
	for i, lost := range []uint32{1, 1000, 1<<23 - 1, 1 << 23, 1<<23 + 1, 1<<24 - pastPackets - 10} {
		q := x.a.qp.(*qp)
		q.nextPSN = (q.nextPSN + lost) & wire.PSNMask
		checkWrite(t, x.a, x.b, byte(i+1))
	}
}

// TestForgedRC checks that a packet out of sequence ends no QP, and costs at most a repetition. A
// repeated READ with a wrong key is such a packet: half of all PSNs count as repeated.
func TestForgedRC(t *testing.T) {
	x := newProtected(t, verbs.RC)
	packets := forgeries(x)
	packets["READ, wrong key"] = wire.Packet{Op: wire.OpReadRequest, VA: x.b.mr.Addr(), RKey: 7, DMALen: 64}
	packets["READ, too long"] = wire.Packet{
		Op: wire.OpReadRequest, VA: x.b.mr.Addr(), RKey: x.b.mr.RKey(),
		DMALen: 1 << 31,
	}
	packets["READ response"] = wire.Packet{Op: wire.OpReadOnly, Payload: []byte("evil")}
	packets["ACK"] = wire.Packet{Op: wire.OpAck, Syndrome: wire.AckUnlimited}
	packets["NAK"] = wire.Packet{Op: wire.OpAck, Syndrome: wire.NakRemoteAccess}
	seed := byte(0)
	checkWrite(t, x.a, x.b, seed)
	for name, p := range packets {
		for where, ahead := range farPSNs {
			if ahead == 0 { // then the specification ends the QP
				continue
			}
			p.PSN = x.a.qp.(*qp).request.psn(uint64(int64(x.a.qp.(*qp).request.end) + int64(ahead)))
			x.a.raw(p, nil)
			drain(t, x.b)
			seed++
			checkWrite(t, x.a, x.b, seed)
			if t.Failed() {
				t.Fatalf("after %s, %s", name, where)
			}
		}
	}
}
