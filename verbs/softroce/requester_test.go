package softroce

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"dpukv/internal/test/kernel"
	"dpukv/internal/test/must"
	"dpukv/verbs"
)

// status waits for one completion of a queue and checks its status.
func status(t *testing.T, q verbs.CQ, id uint64, want verbs.WCStatus, sides ...*side) verbs.WC {
	t.Helper()
	wc := completions(t, q, 1, sides...)[0]
	if wc.ID != id || wc.Status != want {
		t.Fatalf("request %d: %s, want request %d: %s", wc.ID, wc.Status, id, want)
	}
	return wc
}

func TestReadSizes(t *testing.T) {
	checkLeaks(t)
	for _, mtu := range []int{256, 4096} {
		patient := Options{MTU: mtu, AckTimeout: 5 * time.Second}
		a, b := pair(t, verbs.RC, patient, patient)
		fill(b.mr.Bytes(), 9)
		for i, n := range append(aroundMTU(mtu), 33*mtu, 64*mtu-1, 100*mtu) {
			clear(a.mr.Bytes())
			wr := a.write(uint64(i), 0, n)
			wr.Op, wr.Local = verbs.OpRead, a.sge(3, n)
			a.post(wr)
			wc := status(t, a.sendCQ, uint64(i), verbs.StatusSuccess, a, b)
			if wc.Op != verbs.WCRead || wc.Bytes != uint32(n) {
				t.Errorf("%d bytes: %+v", n, wc)
			}
			want := make([]byte, len(a.mr.Bytes()))
			copy(want[3:], b.mr.Bytes()[:n])
			if !bytes.Equal(a.mr.Bytes(), want) {
				t.Fatalf("MTU %d, %d bytes: memory differs", mtu, n)
			}
		}
		if c := a.dev.Counters(); c["retransmitted"] != 0 || c["timeouts"] != 0 {
			t.Errorf("on a good wire: %v", c)
		}
	}
}

// TestLargeMessages do not overrun anything: the window holds them back.
func TestLargeMessages(t *testing.T) {
	const n = 8 << 20
	a, b := pairOf(t, verbs.RC, Options{}, Options{}, sizes{memory: n, queue: 4, depth: 16})
	fill(a.mr.Bytes(), 1)
	a.post(a.write(1, 0, n))
	status(t, a.sendCQ, 1, verbs.StatusSuccess, a, b)
	if !bytes.Equal(a.mr.Bytes(), b.mr.Bytes()) {
		t.Error("WRITE: memory differs")
	}
	fill(b.mr.Bytes(), 2)
	wr := a.write(2, 0, n)
	wr.Op = verbs.OpRead
	a.post(wr)
	status(t, a.sendCQ, 2, verbs.StatusSuccess, a, b)
	if !bytes.Equal(a.mr.Bytes(), b.mr.Bytes()) {
		t.Error("READ: memory differs")
	}
	b.postRecv(7, 0, n)
	fill(a.mr.Bytes(), 3)
	a.post(a.send(3, 0, n))
	status(t, a.sendCQ, 3, verbs.StatusSuccess, a, b)
	if wc := status(t, b.recvCQ, 7, verbs.StatusSuccess, b); wc.Bytes != n || !bytes.Equal(a.mr.Bytes(), b.mr.Bytes()) {
		t.Errorf("SEND: %+v, or memory differs", wc)
	}
	t.Logf("there: %v", a.dev.Counters())
	t.Logf("back: %v", b.dev.Counters())
}

func TestUnsignaledRequestsFreeTheQueue(t *testing.T) {
	a, b := pairOf(t, verbs.RC, Options{}, Options{}, sizes{memory: 4096, queue: 4, depth: 16})
	wr := a.write(0, 0, 8)
	wr.Flags = 0
	if n, err := a.qp.PostSend([]verbs.SendWR{wr, wr, wr, wr, wr}); n != 4 || !errors.Is(err, verbs.ErrQueueFull) {
		t.Fatalf("took %d of 5: %v", n, err)
	}
	until(t, "room in the queue", func() bool { n, _ := a.qp.PostSend([]verbs.SendWR{wr}); return n == 1 }, a, b)
	if n := must.Get(a.sendCQ.Poll(make([]verbs.WC, 4)))(t); n != 0 {
		t.Errorf("%d completions of unsignaled requests", n)
	}
}

// TestReceiverNotReady: the sender waits until a receive is posted.
func TestReceiverNotReady(t *testing.T) {
	a, b := pair(t, verbs.RC, Options{}, Options{})
	fill(a.mr.Bytes(), 1)
	a.post(a.send(1, 0, 100), a.send(2, 100, 100))
	for start := time.Now(); time.Since(start) < 5*time.Millisecond; {
		progress(t, a, b)
	}
	b.postRecv(1, 0, 100)
	status(t, a.sendCQ, 1, verbs.StatusSuccess, a, b)
	b.postRecv(2, 100, 100)
	status(t, a.sendCQ, 2, verbs.StatusSuccess, a, b)
	if !bytes.Equal(a.mr.Bytes()[:200], b.mr.Bytes()[:200]) {
		t.Error("memory differs")
	}
	if c := b.dev.Counters(); c["rnr_naks_sent"] < 2 {
		t.Errorf("%v", c)
	}
}

// ends checks that a request ended with a status, that the next was flushed, and that the QP is in
// error and reports it.
func ends(t *testing.T, a, b *side, want verbs.WCStatus, wrs ...verbs.SendWR) {
	t.Helper()
	a.post(wrs...)
	got := completions(t, a.sendCQ, len(wrs), a, b)
	if got[0].Status != want {
		t.Errorf("ended with %s, want %s", got[0].Status, want)
	}
	for _, wc := range got[1:] {
		if wc.Status != verbs.StatusFlushed {
			t.Errorf("later request: %s", wc.Status)
		}
	}
	if n, err := a.qp.PostSend(wrs[:1]); n != 0 || err == nil {
		t.Error("the QP takes more requests")
	}
	if e := a.dev.Events(time.Time{}); len(e) != 1 || e[0].QPN != a.qp.Num() || !e[0].Serious {
		t.Errorf("events %+v, want one of QP %#x", e, a.qp.Num())
	}
}

func TestReliableRefusals(t *testing.T) {
	// The peer has time to refuse on a busy machine.
	patient := kernel.Timeout(20 * time.Millisecond)
	quick := Options{MTU: 256, AckTimeout: patient, RetryCount: 2, RNRRetryCount: 2}
	for name, test := range map[string]struct {
		want verbs.WCStatus
		make func(a, b *side) verbs.SendWR
	}{
		"WRITE with a wrong key": {verbs.StatusRemoteAccess, func(a, _ *side) verbs.SendWR {
			wr := a.write(0, 0, 600)
			wr.RKey++
			return wr
		}},
		"READ beyond the region": {verbs.StatusRemoteAccess, func(a, b *side) verbs.SendWR {
			wr := a.write(0, 0, 600)
			wr.Op, wr.Remote = verbs.OpRead, wr.Remote+uint64(len(b.mr.Bytes()))-599
			return wr
		}},
		"READ without RemoteRead": {verbs.StatusRemoteAccess, func(a, b *side) verbs.SendWR {
			m := must.Get(b.pd.AllocMR(4096, verbs.RemoteWrite))(t)
			wr := a.write(0, 0, 8)
			wr.Op, wr.Remote, wr.RKey = verbs.OpRead, m.Addr(), m.RKey()
			return wr
		}},
		"SEND larger than the receive": {verbs.StatusRemoteInvalid, func(a, b *side) verbs.SendWR {
			b.postRecv(5, 0, 500)
			return a.send(0, 0, 501)
		}},
		"SEND, and never a receive": {verbs.StatusRNRExceeded, func(a, _ *side) verbs.SendWR {
			return a.send(0, 0, 8)
		}},
		"peer gone": {verbs.StatusRetryExceeded, func(a, b *side) verbs.SendWR {
			b.qp.Close()
			return a.write(0, 0, 8)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := pair(t, verbs.RC, quick, quick)
			wr := test.make(a, b)
			ends(t, a, b, test.want, wr, a.write(1, 0, 8), a.write(2, 0, 8))
			if !bytes.Equal(b.mr.Bytes()[600:], make([]byte, len(b.mr.Bytes())-600)) {
				t.Error("memory was touched")
			}
			if name == "SEND larger than the receive" {
				status(t, b.recvCQ, 5, verbs.StatusLocalLength, b)
			}
		})
	}
}

// TestFlushedReceives: receives of a QP that fails complete as flushed.
func TestFlushedReceives(t *testing.T) {
	a, b := pair(t, verbs.RC, Options{}, Options{})
	for i := range 40 {
		b.postRecv(uint64(i), 0, 64)
	}
	wr := a.write(0, 0, 8)
	wr.RKey++
	a.post(wr)
	status(t, a.sendCQ, 0, verbs.StatusRemoteAccess, a, b)
	for i, wc := range completions(t, b.recvCQ, 40, b) {
		if wc.ID != uint64(i) || wc.Status != verbs.StatusFlushed {
			t.Errorf("%+v", wc)
		}
	}
}

// TestMemoryGoneBeforeRetry checks a request whose region is closed while it waits. It ends with a
// local error, after those before it.
func TestMemoryGoneBeforeRetry(t *testing.T) {
	lose := true
	quick := Options{AckTimeout: time.Millisecond, hooks: hooks{received: func(p []byte, deliver func([]byte)) {
		if !lose {
			deliver(p)
		}
	}}}
	a, b := pair(t, verbs.RC, Options{AckTimeout: time.Millisecond}, quick)
	m := must.Get(a.pd.AllocMR(64, verbs.LocalWrite))(t)
	gone := a.write(2, 0, 8)
	gone.Local = verbs.SGE{Addr: m.Addr(), Length: 8, LKey: m.LKey()}
	a.post(a.write(1, 0, 8), gone, a.write(3, 0, 8))
	must.Do(t, m.Close())
	drain(t, b)
	lose = false
	got := completions(t, a.sendCQ, 3, a, b)
	for i, want := range []verbs.WCStatus{verbs.StatusSuccess, verbs.StatusLocalProtect, verbs.StatusFlushed} {
		if got[i].ID != uint64(i+1) || got[i].Status != want {
			t.Errorf("completion %d: %d %s, want %s", i, got[i].ID, got[i].Status, want)
		}
	}
}

func TestInlineDataIsTakenAtOnce(t *testing.T) {
	for _, typ := range []verbs.QPType{verbs.UC, verbs.RC} {
		lose := typ == verbs.RC // so that RC sends again, after the memory has changed
		a, b := pair(t, typ, Options{AckTimeout: time.Millisecond},
			Options{hooks: hooks{received: func(p []byte, deliver func([]byte)) {
				if !lose {
					deliver(p)
				}
				lose = false
			}}})
		copy(a.mr.Bytes(), "before")
		wr := a.write(1, 0, 6)
		wr.Flags |= verbs.Inline
		a.post(wr)
		copy(a.mr.Bytes(), "after!")
		status(t, a.sendCQ, 1, verbs.StatusSuccess, a, b)
		drain(t, a, b)
		if got := string(b.mr.Bytes()[:6]); got != "before" {
			t.Errorf("%s: %q", typ, got)
		}
	}
}

// TestLostAck checks a request whose only ACK is lost. It is sent again, executed once, and
// acknowledged again.
func TestLostAck(t *testing.T) {
	lost := 0
	a, b := pair(t, verbs.RC, Options{hooks: hooks{received: func(p []byte, deliver func([]byte)) {
		if lost++; lost > 1 {
			deliver(p)
		}
	}}}, Options{})
	b.postRecv(7, 0, 100)
	a.post(a.send(1, 0, 100))
	status(t, a.sendCQ, 1, verbs.StatusSuccess, a, b)
	status(t, b.recvCQ, 7, verbs.StatusSuccess, b)
	if there, here := a.dev.Counters(), b.dev.Counters(); there["timeouts"] == 0 || here["duplicates"] == 0 {
		t.Errorf("want a time-out and a duplicate: %v, %v", there, here)
	}
}

// TestStaleAck: an ACK that comes again, behind later ones, changes nothing.
func TestStaleAck(t *testing.T) {
	var first []byte
	arrived := 0
	a, b := pair(t, verbs.RC,
		Options{AckTimeout: 5 * time.Second, hooks: hooks{received: func(p []byte, deliver func([]byte)) {
			if arrived++; arrived == 1 {
				first = bytes.Clone(p)
			} else if arrived == 3 {
				deliver(bytes.Clone(first))
			}
			deliver(p)
		}}}, Options{})
	for id := range uint64(4) {
		a.post(a.write(id, 0, 100))
		status(t, a.sendCQ, id, verbs.StatusSuccess, a, b)
	}
	if c := a.dev.Counters(); c["unexpected_ack"] != 1 || c["timeouts"] != 0 || c["retransmitted"] != 0 {
		t.Errorf("want one ACK that was not expected, and nothing sent again: %v", c)
	}
}
