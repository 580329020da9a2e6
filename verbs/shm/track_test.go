package shm

import (
	"bytes"
	"errors"
	"sync"
	"testing"
	"time"

	"dpukv/internal/machine"
	"dpukv/internal/test/must"
	"dpukv/verbs"
)

// datagram is a SEND of a piece of e's memory to a peer's UD queue pair.
func (e *end) datagram(t testing.TB, to *end, at, n int) verbs.SendWR {
	t.Helper()
	ah := must.Get(e.pd.CreateAH(to.qp.Local()))(t)
	return verbs.SendWR{
		Op: verbs.OpSendImm, Imm: uint32(n), Local: e.sge(at, n), AH: ah.Handle(), QPN: to.qp.Num(), QKey: 7,
	}
}

func TestDatagrams(t *testing.T) {
	a, b := pair(t, verbs.UD)
	fill(a.mr.Bytes(), 9)
	for i, n := range []int{0, 1, 40, 48, 49, 56, 104, 105, 1000, MTU} {
		b.receive(t, 0, endBytes)
		wr := a.datagram(t, b, i, n)
		a.post(t, wr)
		wc := b.poll(t, 1)[0]
		if wc.Status != verbs.StatusSuccess || wc.Op != verbs.WCRecv || int(wc.Bytes) != verbs.GRHBytes+n ||
			wc.Imm != uint32(n) ||
			!wc.HasImm || wc.SrcQPN != a.qp.Num() || wc.QPN != b.qp.Num() {
			t.Errorf("%d bytes: %+v", n, wc)
		}
		if !bytes.Equal(b.mr.Bytes()[verbs.GRHBytes:verbs.GRHBytes+n], a.mr.Bytes()[i:i+n]) {
			t.Errorf("%d bytes: not what was sent", n)
		}
	}
	b.counted(t, nil)
}

// TestDatagramsRefused are lost, and counted where they were going.
func TestDatagramsRefused(t *testing.T) {
	for name, test := range map[string]struct {
		spoil   func(wr *verbs.SendWR)
		counter string
	}{
		"qkey":    {func(wr *verbs.SendWR) { wr.QKey++ }, "bad_qkey"},
		"number":  {func(wr *verbs.SendWR) { wr.QPN += 1 << indexBits }, "bad_qpn"},
		"nobody":  {func(wr *verbs.SendWR) { wr.QPN = 0 }, "bad_qpn"},
		"too big": {func(wr *verbs.SendWR) { wr.Local.Length = 200 }, "receive_too_small"},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := pair(t, verbs.UD)
			b.receive(t, 0, 100)
			wr := a.datagram(t, b, 0, 8)
			test.spoil(&wr)
			a.post(t, wr)
			wcs := make([]verbs.WC, 1)
			if n, err := b.cq.Poll(wcs); err != nil || n > 0 && wcs[0].Status != verbs.StatusLocalLength {
				t.Errorf("received %+v, %v", wcs[0], err)
			}
			b.counted(t, map[string]uint64{test.counter: 1})
			b.receive(t, 1000, 100)
			a.post(t, a.datagram(t, b, 0, 8))
			if wc := b.poll(t, 1)[0]; wc.Status != verbs.StatusSuccess {
				t.Errorf("the one after it: %+v", wc)
			}
		})
	}
}

// TestWrongKeyOnAKnownWay checks that a known route refuses a datagram with a wrong Q_Key.
func TestWrongKeyOnAKnownWay(t *testing.T) {
	a, b := pair(t, verbs.UD)
	for i := range 3 {
		b.receive(t, 1000*i, 100)
	}
	good := a.datagram(t, b, 0, 8)
	bad := good
	bad.QKey++
	a.post(t, good)
	a.post(t, good, bad, good)
	wcs := make([]verbs.WC, 4)
	if n, err := b.cq.Poll(wcs); n != 3 || err != nil {
		t.Errorf("received %d, %v, want the 3 with the right key", n, err)
	}
	b.counted(t, map[string]uint64{"bad_qkey": 1})
}

// TestNoReceive checks that a datagram without a buffer is lost, and so is one to a full ring.
func TestNoReceive(t *testing.T) {
	a, b := pair(t, verbs.UD)
	a.post(t, a.datagram(t, b, 0, 8)) // never a buffer: there is no ring
	b.counted(t, map[string]uint64{"no_receive": 1})
	b.receive(t, 0, 100)
	wr := a.datagram(t, b, 0, 8)
	for range 2 * minUnits {
		a.post(t, wr)
	}
	b.poll(t, 1)
	b.poll(t, 0)
	got := b.device.Counters()
	if got["lane_full"] == 0 || got["lane_full"]+got["no_receive"] != 2*minUnits {
		t.Errorf("%v", got)
	}
}

// TestManySenders makes as many queue pairs as there are tracks, each on a device of its own, send
// at once to one receiver. Each sender's messages arrive in order, and lost ones are counted. Then
// the senders leave, and as many others find tracks.
func TestManySenders(t *testing.T) {
	each := 2000
	if machine.Emulator() != "" {
		each = 200
		t.Log("an emulated processor: a tenth of the datagrams")
	}
	b := newEnd(t, openDevice(t), verbs.UD, 1024)
	for i := range 512 {
		b.receive(t, i*100, 100)
	}
	got := 0
	for round := range 3 {
		var wg sync.WaitGroup
		last := map[uint32]uint32{}
		for sender := range uint32(udTracks) {
			a := newEnd(t, openDevice(t), verbs.UD, 0)
			must.Do(t, a.qp.Connect(verbs.Endpoint{}))
			wr := a.datagram(t, b, 0, 60)
			wg.Go(func() {
				for i := range uint32(each) {
					wr.Imm = sender<<16 | (i + 1)
					_, _ = a.qp.PostSend([]verbs.SendWR{wr})
				}
				a.qp.Close()
			})
		}
		done := make(chan struct{})
		go func() { wg.Wait(); close(done) }()
		got += drainAll(t, b, last, done)
		counters := b.device.Counters()
		if sent := (round + 1) * udTracks * each; got+int(counters["lane_full"]+counters["no_receive"]) != sent ||
			counters["no_lane"] > 0 {
			t.Fatalf("%d of %d received, %v", got, sent, counters)
		}
	}
}

// drainAll polls until the senders have finished and nothing is left. It checks each sender's
// order.
func drainAll(t *testing.T, b *end, last map[uint32]uint32, done chan struct{}) (got int) {
	wcs := make([]verbs.WC, 32)
	for over := false; ; {
		select {
		case <-done:
			over = true
		default:
		}
		n := must.Get(b.cq.Poll(wcs))(t)
		for _, wc := range wcs[:n] {
			sender := wc.Imm >> 16
			if wc.Imm <= last[sender] {
				t.Fatalf("from sender %d: %#x after %#x", sender, wc.Imm, last[sender])
			}
			last[sender] = wc.Imm
			b.receive(t, int(wc.ID), 100)
		}
		if got += n; over && n == 0 {
			return got
		}
	}
}

// TestTooManySenders checks that, while live senders have all tracks, another one's datagrams are
// lost, until one leaves.
func TestTooManySenders(t *testing.T) {
	b := newEnd(t, openDevice(t), verbs.UD, 64)
	b.receive(t, 0, 100)
	d := openDevice(t)
	var first *end
	for i := range udTracks + 1 {
		a := newEnd(t, d, verbs.UD, 0)
		must.Do(t, a.qp.Connect(verbs.Endpoint{}))
		if first == nil {
			first = a
		}
		if i == udTracks {
			a.post(t, a.datagram(t, b, 0, 8))
			b.counted(t, map[string]uint64{"no_lane": 1})
			first.qp.Close()
		}
		a.post(t, a.datagram(t, b, 0, 8))
	}
	b.counted(t, map[string]uint64{"no_lane": 1})
}

// TestReliableMessagesWait checks that an RC message without a buffer waits, and that a full ring
// reports it.
func TestReliableMessagesWait(t *testing.T) {
	a, b := pair(t, verbs.RC)
	wr := verbs.SendWR{Op: verbs.OpSend, Local: a.sge(0, 5000)}
	if n, err := a.qp.PostSend([]verbs.SendWR{wr}); n != 0 || !errors.Is(err, verbs.ErrQueueFull) {
		t.Errorf("%d, %v", n, err)
	}
	fill(a.mr.Bytes(), 4)
	b.receive(t, 8, 5000)
	sent := 0
	for {
		n, err := a.qp.PostSend([]verbs.SendWR{wr})
		sent += n
		if errors.Is(err, verbs.ErrQueueFull) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if sent < 64 {
		t.Errorf("a ring for %d messages took %d", 64, sent)
	}
	for range sent {
		if wc := b.poll(t, 1)[0]; wc.Bytes != 5000 || wc.HasImm ||
			!bytes.Equal(b.mr.Bytes()[8:5008], a.mr.Bytes()[:5000]) {
			t.Fatalf("%+v", wc)
		}
		b.poll(t, 0)
		b.receive(t, 8, 5000)
	}
	a.post(t, wr)
	b.counted(t, nil)
}

// TestOverrunIsToldOnce, however many completions are lost after the first.
func TestOverrunIsToldOnce(t *testing.T) {
	a, b := pair(t, verbs.UC)
	for range 3 * 1024 {
		a.post(t, a.write(b, 0, 8))
	}
	events := a.device.Events(time.Time{})
	if len(events) != 1 || events[0].Kind != "CQ overrun" || events[0].QPN != a.qp.Num() || !events[0].Serious {
		t.Errorf("events %+v, want one overrun of QP %#x", events, a.qp.Num())
	}
	if events := b.device.Events(time.Time{}); len(events) > 0 {
		t.Errorf("events %+v of the peer", events)
	}
}

// TestTakenTracksAreSearchedSeldom checks that a receiver with all tracks taken costs its senders no
// system calls per datagram.
func TestTakenTracksAreSearchedSeldom(t *testing.T) {
	a, b := pair(t, verbs.UD)
	b.receive(t, 0, 256)
	e := b.device.arena.queue(b.qp.Num())
	for i := range e.tracks.Load() {
		l := b.device.arena.track(e.ring.Load(), e.units.Load(), i)
		l.head.owner.Store(b.device.arena.tag)
		l.head.queue.Store(b.qp.Num())
		l.head.fd.Store(uint32(b.device.handle.fd))
		l.head.pid.Store(uint32(b.device.handle.pid))
	}
	wr := a.message(t, b, 32)
	wr.Flags = 0
	before, begin := reachesAsked.Load(), time.Now()
	const sent = 1000
	for range sent {
		a.post(t, wr)
	}
	asked := reachesAsked.Load() - before
	if most := udTracks * int64(1+time.Since(begin)/searchAgainAfter); asked == 0 || asked > most {
		t.Errorf("%d owners were looked for, want 1 to %d", asked, most)
	}
	b.counted(t, map[string]uint64{"no_lane": sent})
	l := b.device.arena.track(e.ring.Load(), e.units.Load(), 3)
	release(l.head)
	a.post(t, wr)
	b.poll(t, 1)
}
