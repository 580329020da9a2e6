package softroce

import (
	"bytes"
	"testing"

	"dpukv/verbs"
)

// farPSNs are where a forged packet may say it is, from what is expected.
var farPSNs = map[string]int{
	"next": 0, "a few ahead": 3, "far ahead": 1<<23 - 1, "half the circle": 1 << 23, "behind": -5, "far behind": -(1<<23 - 1),
}

// checkWrite writes a long message from a to b, and expects it there.
func checkWrite(t *testing.T, a, b *side, seed byte) {
	t.Helper()
	fill(a.mr.Bytes()[:2000], seed)
	a.post(a.write(uint64(seed), 0, 2000))
	if wc := completions(t, a.sendCQ, 1, a, b)[0]; wc.Status != verbs.StatusSuccess {
		t.Fatalf("write ended with %s", wc.Status)
	}
	settle(t, b)
	if !bytes.Equal(a.mr.Bytes()[:2000], b.mr.Bytes()[:2000]) {
		t.Errorf("write %d did not come through: %v", seed, b.dev.Counters())
	}
}

// forgeries are packets that anybody can make who sends from the peer's address and knows the QP's
// number.
func forgeries(x *protected) map[string]packet {
	return map[string]packet{
		"wrong key":            {op: opWriteOnly, va: x.b.mr.Addr(), rkey: x.b.mr.RKey() ^ 4, dmaLen: 4, payload: []byte("evil")},
		"wrong key, first":     {op: opWriteFirst, va: x.b.mr.Addr(), rkey: 7, dmaLen: 512, payload: make([]byte, 256)},
		"middle":               {op: opWriteMiddle, payload: make([]byte, 256)},
		"last":                 {op: opWriteLast, payload: []byte("evil")},
		"foreign region":       {op: opWriteOnly, va: x.foreign.Addr(), rkey: x.foreign.RKey(), dmaLen: 4, payload: []byte("evil")},
		"no bytes":             {op: opWriteOnly},
		"immediate, no bytes":  {op: opWriteOnlyImm, imm: 1},
		"SEND":                 {op: opSendOnly, payload: []byte("evil")},
		"SEND, first of many":  {op: opSendFirst, payload: make([]byte, 256)},
		"SEND, middle of many": {op: opSendMiddle, payload: make([]byte, 256)},
	}
}

// TestForgedUC: the message after a forged packet comes through, whatever it was, with a receive
// posted for it or not.
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
				p.psn = (forger.nextPSN + uint32(ahead)) & psnMask
				x.a.raw(p, nil)
				settle(t, x.b)
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
			if needsNoKey := p.op == opWriteOnly && p.dmaLen == 0; needsNoKey {
				continue
			}
			q := x.a.qp.(*qp)
			payload := make([]byte, 512)
			fill(payload, 1)
			x.a.raw(packet{op: opWriteFirst, psn: q.psn, va: x.b.mr.Addr(), rkey: x.b.mr.RKey(), dmaLen: 512, payload: payload[:256]}, nil)
			p.psn = (q.psn + 1 + uint32(ahead)) & psnMask
			x.a.raw(p, nil)
			x.a.raw(packet{op: opWriteLast, psn: q.psn + 1, payload: payload[256:]}, nil)
			settle(t, x.b)
			// A middle packet of exactly the next PSN cannot be told from the right one.
			if inSequence := p.op == opWriteMiddle && ahead == 0; !inSequence && !bytes.Equal(x.b.mr.Bytes()[:512], payload) {
				t.Errorf("%s, %s: the message is not whole: %v", name, where, x.b.dev.Counters())
			}
		}
	}
}

// TestGreatLoss: after a loss of half the circle of PSNs, or of any part, the next message comes
// through.
func TestGreatLoss(t *testing.T) {
	x := newProtected(t, verbs.UC)
	for i, lost := range []uint32{1, 1000, 1<<23 - 1, 1 << 23, 1<<23 + 1, 1<<24 - pastPackets - 10} {
		q := x.a.qp.(*qp)
		q.nextPSN = (q.nextPSN + lost) & psnMask
		checkWrite(t, x.a, x.b, byte(i+1))
	}
}

// TestForgedRC: what is not exactly in sequence ends no QP, and costs at most a repetition. A
// repeated READ with a wrong key is such a packet: half of all PSNs count as repeated.
func TestForgedRC(t *testing.T) {
	x := newProtected(t, verbs.RC)
	packets := forgeries(x)
	packets["READ, wrong key"] = packet{op: opReadRequest, va: x.b.mr.Addr(), rkey: 7, dmaLen: 64}
	packets["READ, too long"] = packet{op: opReadRequest, va: x.b.mr.Addr(), rkey: x.b.mr.RKey(), dmaLen: 1 << 31}
	packets["READ response"] = packet{op: opReadOnly, payload: []byte("evil")}
	packets["ACK"] = packet{op: opAck, syndrome: ackUnlimited}
	packets["NAK"] = packet{op: opAck, syndrome: nakRemoteAccess}
	seed := byte(0)
	checkWrite(t, x.a, x.b, seed)
	for name, p := range packets {
		for where, ahead := range farPSNs {
			if ahead == 0 { // then the specification ends the QP
				continue
			}
			p.psn = x.a.qp.(*qp).request.psn(uint64(int64(x.a.qp.(*qp).request.end) + int64(ahead)))
			x.a.raw(p, nil)
			settle(t, x.b)
			seed++
			checkWrite(t, x.a, x.b, seed)
			if t.Failed() {
				t.Fatalf("after %s, %s", name, where)
			}
		}
	}
}
