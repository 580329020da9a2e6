package shm

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/verbs"

	"go.uber.org/goleak"
)

// end is one side of a connection in a test.
type end struct {
	device *Device
	pd     verbs.PD
	cq     verbs.CQ
	qp     verbs.QP
	mr     verbs.MR
}

const endBytes = 1 << 16

func openDevice(t testing.TB) *Device {
	t.Helper()
	return must.Keep(Open(Config{}))(t)
}

func newEnd(t testing.TB, d *Device, kind verbs.QPType, receives int) *end {
	t.Helper()
	e := &end{device: d}
	e.pd = must.Get(d.AllocPD())(t)
	e.cq = must.Get(d.CreateCQ(1024))(t)
	e.mr = must.Get(e.pd.AllocMR(endBytes, verbs.LocalWrite|verbs.RemoteWrite|verbs.RemoteRead))(t)
	e.qp = must.Get(e.pd.CreateQP(verbs.QPConfig{
		Type: kind, SendCQ: e.cq, RecvCQ: e.cq, MaxSend: 64, MaxRecv: receives, QKey: 7,
	}))(t)
	return e
}

// pair makes two devices whose queue pairs are connected.
func pair(t testing.TB, kind verbs.QPType) (a, b *end) {
	t.Helper()
	a, b = newEnd(t, openDevice(t), kind, 64), newEnd(t, openDevice(t), kind, 64)
	for _, err := range []error{a.qp.Connect(b.qp.Local()), b.qp.Connect(a.qp.Local())} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return a, b
}

func (e *end) sge(at, n int) verbs.SGE {
	return verbs.SGE{Addr: e.mr.Addr() + uint64(at), Length: uint32(n), LKey: e.mr.LKey()}
}

// write is a WRITE of e's first n bytes to the same offset at a peer.
func (e *end) write(to *end, at, n int) verbs.SendWR {
	return verbs.SendWR{
		ID: 5, Op: verbs.OpWrite, Local: e.sge(at, n), Remote: to.mr.Addr() + uint64(at),
		RKey: to.mr.RKey(), Flags: verbs.Signaled,
	}
}

func (e *end) post(t testing.TB, wrs ...verbs.SendWR) {
	t.Helper()
	if n, err := e.qp.PostSend(wrs); n != len(wrs) || err != nil {
		t.Fatalf("%d of %d work requests posted: %v", n, len(wrs), err)
	}
}

func (e *end) receive(t testing.TB, at, n int) {
	t.Helper()
	if _, err := e.qp.PostRecv([]verbs.RecvWR{{ID: uint64(at), Local: e.sge(at, n)}}); err != nil {
		t.Fatal(err)
	}
}

func (e *end) poll(t testing.TB, want int) []verbs.WC {
	t.Helper()
	wcs := make([]verbs.WC, 128)
	n, err := e.cq.Poll(wcs)
	if err != nil || n != want {
		t.Fatalf("%d completions, %v: want %d", n, err, want)
	}
	return wcs[:n]
}

// counted checks that just these counters are not zero.
func (e *end) counted(t testing.TB, want map[string]uint64) {
	t.Helper()
	for name, n := range e.device.Counters() {
		if n != want[name] {
			t.Errorf("counter %s: %d, want %d", name, n, want[name])
		}
	}
}

func fill(b []byte, seed int) {
	for i := range b {
		b[i] = byte(seed + i*7)
	}
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestWrite(t *testing.T) {
	for _, kind := range []verbs.QPType{verbs.UC, verbs.RC} {
		a, b := pair(t, kind)
		fill(a.mr.Bytes(), 1)
		for _, n := range []int{0, 1, 7, 8, 9, 31, 32, 64, 65, 100, 4096, 5000, endBytes} {
			for _, at := range []int{0, 3, 8, 60} {
				if at+n > endBytes {
					continue
				}
				clear(b.mr.Bytes())
				a.post(t, a.write(b, at, n))
				if wc := a.poll(t, 1)[0]; wc.Status != verbs.StatusSuccess || wc.ID != 5 || wc.Op != verbs.WCWrite {
					t.Fatalf("%+v", wc)
				}
				want := make([]byte, endBytes)
				copy(want[at:at+n], a.mr.Bytes()[at:])
				if !bytes.Equal(b.mr.Bytes(), want) {
					t.Fatalf("%s write of %d bytes at %d: not what was sent, or not only there", kind, n, at)
				}
			}
		}
		b.counted(t, nil)
	}
}

// TestProtection checks that illegal accesses change nothing and are counted, and that only RC
// reports them.
func TestProtection(t *testing.T) {
	for _, kind := range []verbs.QPType{verbs.UC, verbs.RC} {
		for name, test := range map[string]struct {
			spoil   func(wr *verbs.SendWR, a, b *end)
			counter string
			local   bool
		}{
			"rkey":            {func(wr *verbs.SendWR, _, _ *end) { wr.RKey += 1 << indexBits }, "bad_rkey", false},
			"no rkey":         {func(wr *verbs.SendWR, _, _ *end) { wr.RKey = 0 }, "bad_rkey", false},
			"before":          {func(wr *verbs.SendWR, _, _ *end) { wr.Remote-- }, "bad_bounds", false},
			"behind":          {func(wr *verbs.SendWR, _, _ *end) { wr.Remote += endBytes - 7 }, "bad_bounds", false},
			"far":             {func(wr *verbs.SendWR, _, _ *end) { wr.Remote = ^uint64(0) }, "bad_bounds", false},
			"closed":          {func(_ *verbs.SendWR, _, b *end) { b.mr.Close() }, "bad_rkey", false},
			"queue pair gone": {func(_ *verbs.SendWR, _, b *end) { b.qp.Close() }, "bad_qpn", false},
			"lkey": {func(wr *verbs.SendWR, _, _ *end) {
				wr.Local.LKey ^= 1 << indexBits
			}, "bad_lkey", true},
			"local bounds": {func(wr *verbs.SendWR, _, _ *end) { wr.Local.Addr += endBytes }, "bad_lkey", true},
			"connected to two": {func(_ *verbs.SendWR, _, b *end) {
				b.qp.(*qp).entry().peer.Store(1)
			}, "bad_peer", false},
		} {
			t.Run(kind.String()+"/"+name, func(t *testing.T) {
				a, b := pair(t, kind)
				fill(a.mr.Bytes(), 1)
				good, bad := a.write(b, 0, 8), a.write(b, 0, 8)
				memory := b.mr.Bytes()
				test.spoil(&bad, a, b)
				a.post(t, bad)
				status := a.poll(t, 1)[0].Status
				if hears := test.local || kind == verbs.RC; (status != verbs.StatusSuccess) != hears {
					t.Errorf("the sender hears %s", status)
				}
				if !bytes.Equal(memory, make([]byte, endBytes)) {
					t.Error("memory was touched")
				}
				counter := b
				if test.local {
					counter = a
				}
				counter.counted(t, map[string]uint64{test.counter: 1})
				a.post(t, good)
				if again := a.poll(t, 1)[0].Status; kind == verbs.RC && again != verbs.StatusFlushed {
					t.Errorf("after an error: %s", again)
				}
			})
		}
	}
}

func TestAccess(t *testing.T) {
	a, b := pair(t, verbs.UC)
	mr := must.Get(b.pd.AllocMR(64, verbs.LocalWrite|verbs.RemoteRead))(t)
	wr := a.write(b, 0, 8)
	wr.Remote, wr.RKey = mr.Addr(), mr.RKey()
	a.post(t, wr)
	b.counted(t, map[string]uint64{"bad_access": 1})
}

// TestClosedKeysStayDead checks that neither numbers nor freed memory are reused soon.
func TestClosedKeysStayDead(t *testing.T) {
	d := openDevice(t)
	e := newEnd(t, d, verbs.UC, 0)
	seen := map[uint32]bool{}
	addrs := map[uint64]bool{}
	for begin := time.Now(); len(seen) < 3*tableEntries; {
		mr := must.Get(e.pd.AllocMR(1, verbs.RemoteWrite))(t)
		if seen[mr.RKey()] || addrs[mr.Addr()] && time.Since(begin) < quarantine {
			t.Fatalf("rkey %#x or address %#x a second time", mr.RKey(), mr.Addr())
		}
		seen[mr.RKey()], addrs[mr.Addr()] = true, true
		must.Do(t, mr.Close())
	}
}

func TestWriteImmAndRead(t *testing.T) {
	a, b := pair(t, verbs.RC)
	fill(a.mr.Bytes(), 3)
	b.receive(t, 0, 0)
	wr := a.write(b, 64, 100)
	wr.Op, wr.Imm = verbs.OpWriteImm, 99
	a.post(t, wr)
	if wc := b.poll(t, 1)[0]; wc.Op != verbs.WCRecvWriteImm || wc.Imm != 99 || !wc.HasImm || wc.Bytes != 100 {
		t.Errorf("%+v", wc)
	}
	if !bytes.Equal(b.mr.Bytes()[64:164], a.mr.Bytes()[64:164]) {
		t.Error("the data is not there")
	}
	a.poll(t, 1)
	a.post(t, verbs.SendWR{
		Op: verbs.OpRead, Local: a.sge(1000, 100), Remote: b.mr.Addr() + 64, RKey: b.mr.RKey(),
		Flags: verbs.Signaled,
	})
	if wc := a.poll(t, 1)[0]; wc.Op != verbs.WCRead || wc.Status != verbs.StatusSuccess {
		t.Errorf("%+v", wc)
	}
	if !bytes.Equal(a.mr.Bytes()[1000:1100], b.mr.Bytes()[64:164]) {
		t.Error("READ brought something else")
	}
}

// TestUnlikeEndpoints are refused by name.
func TestUnlikeEndpoints(t *testing.T) {
	a, b := newEnd(t, openDevice(t), verbs.UC, 1), newEnd(t, openDevice(t), verbs.RC, 1)
	gone := b.qp.Local()
	gone.Type = verbs.UC
	gone.Handle = "shm:1:99:00000000000000000000000000000000"
	for _, to := range []verbs.Endpoint{b.qp.Local(), {}, gone} {
		if err := a.qp.Connect(to); err == nil {
			t.Errorf("connected to %s", to)
		} else {
			t.Log(err)
		}
	}
	if _, err := a.qp.PostSend(make([]verbs.SendWR, 1)); err == nil {
		t.Error("sent without a connection")
	}
	a.qp.Close()
	if _, err := a.qp.PostSend(make([]verbs.SendWR, 1)); !errors.Is(err, verbs.ErrClosed) {
		t.Errorf("sent after closing: %v", err)
	}
}

// TestHotPathAllocatesNothing: neither do posting and polling lists.
func TestHotPathAllocatesNothing(t *testing.T) {
	a, b := pair(t, verbs.UC)
	list := make([]verbs.SendWR, 32)
	for i := range list {
		list[i] = a.write(b, i*64, 64)
		list[i].Flags = 0
	}
	list[31].Flags = verbs.Signaled
	wcs := make([]verbs.WC, 4)
	if n := testing.AllocsPerRun(1000, func() {
		a.post(t, list...)
		if n, err := a.cq.Poll(wcs); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}); n > 0 {
		t.Errorf("%v allocations a list", n)
	}
}
