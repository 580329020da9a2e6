package softroce

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/verbs"
)

// faulty is a wire that loses, repeats, swaps and corrupts packets.
type faulty struct {
	random                              *rand.Rand
	lose, duplicate, delay, corrupt     float64
	arrived, lost, duplicated, corrupts int
	delayed                             [][]byte
}

func newFaulty(seed uint64, rate float64) *faulty {
	return &faulty{random: rand.New(rand.NewPCG(seed, 1)), lose: rate, duplicate: rate, delay: rate, corrupt: rate}
}

func (f *faulty) hit(rate float64) bool { return f.random.Float64() < rate }

// hook is a received hook.
func (f *faulty) hook(p []byte, deliver func([]byte)) {
	f.arrived++
	p = bytes.Clone(p)
	switch {
	case f.hit(f.lose):
		f.lost++
		return
	case f.hit(f.delay):
		f.delayed = append(f.delayed, p)
		return
	case f.hit(f.corrupt):
		f.corrupts++
		at := f.random.IntN(len(p) - 1)
		if at == 4 { // of the BTH: the ICRC leaves it out
			at++
		}
		p[at] ^= byte(1 + f.random.IntN(255))
	case f.hit(f.duplicate):
		f.duplicated++
		deliver(bytes.Clone(p))
	}
	deliver(p)
	for len(f.delayed) > 0 && f.hit(.3) {
		i := f.random.IntN(len(f.delayed))
		late := f.delayed[i]
		f.delayed = append(f.delayed[:i], f.delayed[i+1:]...)
		deliver(late)
	}
}

func dropped(d *device) uint64 {
	n := uint64(0)
	for c := badPacket; c < psnGaps; c++ {
		n += d.counters[c].Load()
	}
	return n
}

// TestDatagramsOverFaultyWire checks that each datagram arrives intact, once or, if the wire
// repeated it, twice. Every packet must be accounted for.
func TestDatagramsOverFaultyWire(t *testing.T) {
	wire := newFaulty(1, .05)
	a, b := pair(t, verbs.UD, Options{MTU: 1024}, Options{MTU: 1024, hooks: hooks{received: wire.hook}})
	const rounds, batch, n = 100, 32, 64
	seen := map[uint32]int{}
	wcs := make([]verbs.WC, 2*batch)
	for round := range rounds {
		var wrs []verbs.SendWR
		for i := range batch {
			at := i * n
			fill(a.mr.Bytes()[at:at+n], byte(round+i))
			wr := a.send(0, at, n)
			wr.Op, wr.Imm, wr.Flags = verbs.OpSendImm, uint32(round*batch+i), 0
			wrs = append(wrs, wr)
		}
		for i := b.posted(); i < 2*batch; i++ {
			b.postRecv(uint64(i), 0, verbs.GRHBytes+n)
		}
		a.post(wrs...)
		drain(t, b)
		for _, wc := range wcs[:must.Get(b.recvCQ.Poll(wcs))(t)] {
			seen[wc.Imm]++
			if wc.Bytes != verbs.GRHBytes+n || wc.SrcQPN != a.qp.Num() {
				t.Fatalf("completion %+v", wc)
			}
		}
	}
	received := 0
	for imm, times := range seen {
		received += times
		if imm >= rounds*batch || times > 2 {
			t.Errorf("message %d came %d times", imm, times)
		}
	}
	delivered := wire.arrived - wire.lost + wire.duplicated - len(wire.delayed)
	if got := received + int(dropped(b.dev)); got != delivered {
		t.Errorf("%d received and %d dropped of %d delivered: %v", received, dropped(b.dev), delivered,
			b.dev.Counters())
	}
	if c := b.dev.Counters(); c["bad_icrc"] != uint64(wire.corrupts) || wire.arrived != rounds*batch {
		t.Errorf("%d packets of which %d corrupted: %v", wire.arrived, wire.corrupts, c)
	}
	t.Logf("%d of %d messages; %v", received, rounds*batch, b.dev.Counters())
}

// posted is how many receives are there.
func (s *side) posted() int {
	q := s.qp.(*qp)
	return q.receives.count + q.in.end - q.in.first
}

// TestWritesOverFaultyWire checks each slot. It holds its old contents, a whole message, or the
// beginning of a message whose rest was lost. It never holds bytes of another slot, or of an older
// message.
func TestWritesOverFaultyWire(t *testing.T) {
	const mtu, slots, slotBytes = 256, 64, 1024
	wire := newFaulty(2, .05)
	a, b := pair(t, verbs.UC, Options{MTU: mtu}, Options{MTU: mtu, hooks: hooks{received: wire.hook}})
	newest := make([]uint32, slots)
	for round := uint32(1); round < 200; round++ {
		var wrs []verbs.SendWR
		for i := range 32 {
			slot := int(round)*7 + i*3
			slot %= slots
			words(a.mr.Bytes()[slot*slotBytes:], slot, round, slotBytes/8)
			wrs = append(wrs, a.write(0, slot*slotBytes, slotBytes-8*(i%40)))
		}
		a.post(wrs...)
		completions(t, a.sendCQ, len(wrs), b)
		drain(t, b)
		for slot := range slots {
			checkSlot(t, b.mr.Bytes()[slot*slotBytes:][:slotBytes], slot, &newest[slot], round)
		}
	}
	c := b.dev.Counters()
	if c["bad_icrc"] != uint64(wire.corrupts) || c["stale_psn"] == 0 || c["out_of_sequence"] == 0 ||
		c["psn_gaps"] == 0 {
		t.Errorf("%d corrupted: %v", wire.corrupts, c)
	}
}

func checkSlot(t *testing.T, b []byte, slot int, newest *uint32, round uint32) {
	t.Helper()
	for i := 0; i < len(b); i += 8 {
		got, gotRound := wordAt(b[i:])
		if gotRound == 0 {
			continue
		}
		if got != uint32(slot) || gotRound > round {
			t.Fatalf("slot %d, byte %d: of slot %d, round %d, in round %d", slot, i, got, gotRound, round)
		}
	}
	if _, first := wordAt(b); first < *newest {
		t.Fatalf("slot %d went back from round %d to %d", slot, *newest, first)
	} else {
		*newest = first
	}
}

// TestReliableOverFaultyWire checks that every operation completes, in order, exactly once, with
// the right data.
func TestReliableOverFaultyWire(t *testing.T) {
	checkLeaks(t)
	rates := []float64{0, .01, .05, .15}
	if testing.Short() {
		rates = rates[:3]
		t.Log("a short run: fewer rates")
	}
	for seed, rate := range rates {
		for _, mtu := range []int{256, 1024} {
			t.Run(fmt.Sprintf("rate=%v/mtu=%d", rate, mtu), func(t *testing.T) {
				quick := 500 * time.Microsecond
				there, back := newFaulty(uint64(seed), rate), newFaulty(uint64(seed)+100, rate)
				a, b := pair(t, verbs.RC,
					Options{MTU: mtu, AckTimeout: quick, RetryCount: 10_000, hooks: hooks{received: back.hook}},
					Options{MTU: mtu, AckTimeout: quick, RetryCount: 10_000, hooks: hooks{received: there.hook}})
				runReliable(t, a, b, 400, there.random)
				t.Logf("there: %v", a.dev.Counters())
				t.Logf("and back: %v", b.dev.Counters())
			})
		}
	}
}

// runReliable runs n operations of all kinds and sizes from a to b. Each has its own place in both
// memories, and receives come in order.
func runReliable(t *testing.T, a, b *side, n int, random *rand.Rand) {
	const place = 2600
	ops := []verbs.SendOp{verbs.OpWrite, verbs.OpWriteImm, verbs.OpSend, verbs.OpSendImm, verbs.OpRead}
	type planned struct {
		wr  verbs.SendWR
		len int
	}
	var plan []planned
	var expect []verbs.WC
	for i := range n {
		size := random.IntN(place)
		at := i * place
		fill(a.mr.Bytes()[at:at+size], byte(i))
		wr := a.write(uint64(i), at, size)
		wr.Op, wr.Imm = ops[random.IntN(len(ops))], uint32(i)
		if size <= 512 && wr.Op != verbs.OpRead && random.IntN(2) == 0 {
			wr.Flags |= verbs.Inline
		}
		plan = append(plan, planned{wr, size})
		switch wr.Op {
		case verbs.OpWriteImm:
			expect = append(expect,
				verbs.WC{Op: verbs.WCRecvWriteImm, Bytes: uint32(size), HasImm: true, Imm: uint32(i)})
		case verbs.OpSend:
			expect = append(expect, verbs.WC{Op: verbs.WCRecv, Bytes: uint32(size)})
		case verbs.OpSendImm:
			expect = append(expect, verbs.WC{Op: verbs.WCRecv, Bytes: uint32(size), HasImm: true, Imm: uint32(i)})
		case verbs.OpRead:
			fill(b.mr.Bytes()[at:at+size], byte(i+1))
		}
	}
	sent, completed, receives, received, nextPlace := 0, 0, 0, 0, 0
	receivePlaces := []int{}
	wcs := make([]verbs.WC, 64)
	until(t, "all operations", func() bool {
		for receives < len(expect) && receives-received < 20 {
			for !isSend(plan[nextPlace].wr.Op) {
				nextPlace++
			}
			// A send lands at its own place, like a write.
			b.postRecv(uint64(receives), nextPlace*place, place)
			receivePlaces = append(receivePlaces, nextPlace)
			nextPlace++
			receives++
		}
		for sent < n && sent-completed < 50 {
			a.post(plan[sent].wr)
			sent++
		}
		for _, wc := range wcs[:must.Get(a.sendCQ.Poll(wcs))(t)] {
			p := plan[completed]
			if wc.ID != uint64(completed) || wc.Status != verbs.StatusSuccess || wc.Op != p.wr.Op.Completion() {
				t.Fatalf("completion %d: %+v", completed, wc)
			}
			completed++
		}
		for _, wc := range wcs[:must.Get(b.recvCQ.Poll(wcs))(t)] {
			want := expect[received]
			want.ID, want.QPN = uint64(received), b.qp.Num()
			if wc != want {
				t.Fatalf("receive %d: got %+v, want %+v", received, wc, want)
			}
			received++
		}
		return completed == n && received == len(expect)
	}, a, b)
	for i, p := range plan {
		at := i * place
		want := make([]byte, p.len)
		fill(want, byte(i))
		if p.wr.Op == verbs.OpRead {
			fill(want, byte(i+1))
		}
		if !bytes.Equal(a.mr.Bytes()[at:at+p.len], want) || !bytes.Equal(b.mr.Bytes()[at:at+p.len], want) {
			t.Fatalf("operation %d, %d: memory differs", i, p.wr.Op)
		}
	}
}

func isSend(op verbs.SendOp) bool { return op != verbs.OpWrite && op != verbs.OpRead }
