//go:build linux && (amd64 || arm64) && !static

package ibverbs

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/verbs"
	"dpukv/verbs/verbstest"

	"go.uber.org/goleak"
)

// required is set where a device must exist: a skip would be a failure.
var required = os.Getenv("IBVERBS_REQUIRE") != ""

// probe skips the test on a machine without a device, with the reason.
func probe(t *testing.T) {
	t.Helper()
	if err := Probe(); err != nil && !required {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
}

// open opens the machine's device.
func open(t *testing.T) verbs.Device {
	t.Helper()
	probe(t)
	return must.Keep(Open(Config{GIDIndex: AutoGID}))(t)
}

func TestProbeSaysWhatIsMissing(t *testing.T) {
	err := Probe()
	if err == nil {
		t.Skip("this machine has a device")
	}
	if !errors.Is(err, verbs.ErrNotSupported) {
		t.Errorf("Probe() = %v, want ErrNotSupported", err)
	}
	if _, openErr := Open(Config{GIDIndex: AutoGID}); openErr == nil || openErr.Error() != err.Error() {
		t.Errorf("Open: %v, want what Probe says", openErr)
	}
}

func TestDeviceTellsWhatItIs(t *testing.T) {
	d := open(t)
	port := must.Get(d.Port())(t)
	t.Logf("%+v %+v", d.Info(), port)
	if info := d.Info(); info.Provider != "ibverbs" || info.Name == "" ||
		info.Emulated != strings.HasPrefix(info.Name, "rxe") {
		t.Errorf("Info() = %+v", info)
	}
	if !port.Active || port.MTU < 256 || port.MaxInline == 0 || port.LinkLayer == verbs.LinkEthernet &&
		!port.GID.Addr().Is4() {
		t.Errorf("Port() = %+v", port)
	}
	if n := len(d.Counters()); n == 0 {
		t.Error("no counters")
	}
}

func TestOpenNamesWhatThereIs(t *testing.T) {
	name := open(t).Info().Name
	for _, test := range []struct {
		cfg  Config
		want []string
	}{
		{Config{Name: "mlx9_9", GIDIndex: AutoGID}, []string{`"mlx9_9"`, name}},
		{Config{GIDIndex: 99}, []string{"GID index 99", "RoCE v2"}},
		{Config{GIDIndex: AutoGID, Port: 7}, []string{name + "/7: found port 7, allowed: 1 to "}},
		{Config{GIDIndex: AutoGID, Port: 257}, []string{"found port 257"}}, // not 1, its low byte
		{Config{GIDIndex: AutoGID, Port: -1}, []string{"found port -1"}},
		{Config{GIDIndex: AutoGID, MTU: 1000}, []string{"MTU 1000"}},
	} {
		d, err := Open(test.cfg)
		if err == nil {
			t.Errorf("Open(%+v) found %v", test.cfg, d.Info())
			continue
		}
		for _, want := range test.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("Open(%+v): %v: does not name %s", test.cfg, err, want)
			}
		}
	}
}

// TestPortIsNamed checks that a result distinguishes the ports of a device, if the configuration
// names one.
func TestPortIsNamed(t *testing.T) {
	name := open(t).Info().Name
	d := must.Get(Open(Config{GIDIndex: AutoGID, Port: 1}))(t)
	if got := d.Info().Name; got != name+"/1" {
		t.Errorf("port 1 of %s is called %s", name, got)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestCloseTakesAllWithIt closes a device with everything in it still open.
func TestCloseTakesAllWithIt(t *testing.T) {
	probe(t)
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	d := must.Get(Open(Config{GIDIndex: AutoGID}))(t)
	e := newEnd(t, d, verbs.UD, 4)
	must.Get(e.pd.CreateAH(e.qp.Local()))(t)
	if err := e.pd.Close(); err == nil || !strings.Contains(err.Error(), "EBUSY") {
		t.Errorf("PD.Close() = %v with a QP in it, want EBUSY", err)
	}
	for range 2 {
		must.Do(t, d.Close())
	}
	d.Events(time.Time{}) // may still be asked for
	_, pdErr := d.AllocPD()
	_, sendErr := e.qp.PostSend(make([]verbs.SendWR, 1))
	_, recvErr := e.qp.PostRecv(make([]verbs.RecvWR, 1))
	_, pollErr := e.cq.Poll(make([]verbs.WC, 1))
	for _, err := range []error{pdErr, sendErr, recvErr, pollErr, e.qp.Connect(verbs.Endpoint{})} {
		if !errors.Is(err, verbs.ErrClosed) {
			t.Errorf("got %v, want ErrClosed", err)
		}
	}
}

// TestDomainOutlivesItsAddressHandles checks that a domain outlives its address handles, even those
// that only the driver knows: their table goes with the domain.
func TestDomainOutlivesItsAddressHandles(t *testing.T) {
	d := open(t)
	pd := must.Get(d.AllocPD())(t)
	var ahs []verbs.AH
	for range 2 {
		ahs = append(ahs, must.Get(pd.CreateAH(verbs.Endpoint{
			LinkLayer: verbs.LinkEthernet,
			GID:       must.Get(d.Port())(t).GID,
		}))(t))
	}
	for left := len(ahs); left > 0; left-- {
		if err := pd.Close(); !errors.Is(err, syscall.EBUSY) ||
			!strings.Contains(err.Error(), fmt.Sprintf("address handles open (%d)", left)) {
			t.Errorf("PD.Close() = %v with %d address handles", err, left)
		}
		if err := ahs[left-1].Close(); err != nil {
			t.Error(err)
		}
	}
	if err := pd.Close(); err != nil {
		t.Error(err)
	}
}

func TestRefusesWhatIsNotItsOwn(t *testing.T) {
	a, b := open(t), open(t)
	pd := must.Get(a.AllocPD())(t)
	cq := must.Get(b.CreateCQ(1))(t)
	if _, err := pd.CreateQP(verbs.QPConfig{
		Type: verbs.UC, SendCQ: cq, RecvCQ: cq, MaxSend: 1,
		MaxRecv: 1,
	}); err == nil {
		t.Error("a QP took another device's CQ")
	}
	if _, err := pd.CreateQP(verbs.QPConfig{Type: verbs.UC}); err == nil {
		t.Error("a QP took no CQ")
	}
	own := must.Get(a.CreateCQ(1))(t)
	_, err := pd.CreateQP(verbs.QPConfig{
		Type: verbs.UC, SendCQ: own, RecvCQ: own, MaxSend: 1, MaxRecv: 1,
		MaxInline: 1 << 20,
	})
	if err == nil || !strings.Contains(err.Error(), "1048576 bytes inline of at most") {
		t.Errorf("a QP with room for 1 MiB inline: %v", err)
	}
}

// TestMaxInlineHolds for the type of QP that it was not found with.
func TestMaxInlineHolds(t *testing.T) {
	d := open(t)
	port := must.Get(d.Port())(t)
	pd := must.Get(d.AllocPD())(t)
	cq := must.Get(d.CreateCQ(1))(t)
	for _, typ := range []verbs.QPType{verbs.UC, verbs.UD, verbs.RC} {
		must.Get(pd.CreateQP(verbs.QPConfig{
			Type: typ, SendCQ: cq, RecvCQ: cq, MaxSend: 1, MaxRecv: 1,
			MaxInline: port.MaxInline,
		}))(t)
	}
}

// TestErrorBreaksTheConnection checks that nothing more goes out after a peer refused a wrong rkey.
func TestErrorBreaksTheConnection(t *testing.T) {
	d := open(t)
	a, b := newEnd(t, d, verbs.RC, 4), newEnd(t, d, verbs.RC, 4)
	connect(t, a, b)
	wr := a.write(b, 8)
	wr.RKey ^= 0xff00
	wr.Flags = verbs.Signaled
	for _, want := range []verbs.WCStatus{verbs.StatusRemoteAccess, verbs.StatusFlushed} {
		a.post(t, wr)
		if wc := a.complete(t); wc.Status != want || wc.Op != 0 {
			t.Errorf("completion %+v, want %v and no operation", wc, want)
		}
	}
}

// TestEventReachesTheReader checks that the overrun of an unpolled completion queue becomes an
// event.
func TestEventReachesTheReader(t *testing.T) {
	d := open(t)
	e := newEnd(t, d, verbs.UD, 64)
	must.Do(t, e.qp.Connect(verbs.Endpoint{}))
	ah := must.Get(e.pd.CreateAH(e.qp.Local()))(t)
	wr := verbs.SendWR{
		Op: verbs.OpSend, Local: e.sge(8), AH: ah.Handle(), QPN: e.qp.Num(), QKey: testQKey,
		Flags: verbs.Signaled,
	}
	for range 8 { // more than twice the queue's 128
		e.post(t, slices.Repeat([]verbs.SendWR{wr}, 32)...)
		time.Sleep(20 * time.Millisecond)
	}
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) {
		events := d.Events(time.Time{})
		if len(events) > 0 && (events[0].Kind != "CQ overrun" || !events[0].Serious) {
			t.Errorf("events %+v, want a CQ overrun", events)
		}
		if len(events) > 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("no event")
		}
	}
}

// TestOneCallABatch counts calls into C: lists make them cheap.
func TestOneCallABatch(t *testing.T) {
	d := open(t)
	a, b := newEnd(t, d, verbs.UC, 128), newEnd(t, d, verbs.UC, 128)
	connect(t, a, b)
	wrs, recvs, wcs := make([]verbs.SendWR, 32), make([]verbs.RecvWR, 32), make([]verbs.WC, 64)
	for i := range wrs {
		wrs[i] = a.write(b, 32)
		wrs[i].Flags = verbs.Inline | verbs.Signaled
		recvs[i].Local = a.sge(8)
	}
	// The count covers the whole process. A device also makes calls to take its events, so others
	// can only add.
	sends, receives, polls := int64(1<<62), int64(1<<62), int64(1<<62)
	for range 3 {
		sends = min(sends, calls(func() { a.post(t, wrs...) }))
		receives = min(receives, calls(func() { must.Get(a.qp.PostRecv(recvs))(t) }))
		time.Sleep(100 * time.Millisecond)
		polls = min(polls, calls(func() {
			if n := must.Get(a.cq.Poll(wcs))(t); n != len(wrs) {
				t.Errorf("polled %d of %d", n, len(wrs))
			}
		}))
	}
	if sends != 1 || receives != 1 || polls != 1 {
		t.Errorf("%d work requests: %d calls to send, %d to receive, %d to poll, want 1 each", len(wrs), sends,
			receives, polls)
	}
	if n := testing.AllocsPerRun(10, func() { _, _ = a.cq.Poll(wcs) }); n != 0 {
		t.Errorf("polling allocates %v times", n)
	}
}

// calls counts calls into C.
func calls(f func()) int64 {
	before := runtime.NumCgoCall()
	f()
	return runtime.NumCgoCall() - before
}

func TestQueueFull(t *testing.T) {
	d := open(t)
	a, b := newEnd(t, d, verbs.RC, 4), newEnd(t, d, verbs.RC, 4)
	connect(t, a, b)
	// Sends wait for a receive at the peer, so the queue fills up.
	wrs := make([]verbs.SendWR, 300)
	for i := range wrs {
		wrs[i] = verbs.SendWR{Op: verbs.OpSend, Local: a.sge(8)}
	}
	n, err := a.qp.PostSend(wrs)
	if !errors.Is(err, verbs.ErrQueueFull) || n < 4 || n >= len(wrs) {
		t.Errorf("PostSend = %d, %v, want at least 4 and ErrQueueFull", n, err)
	}
	recvs := make([]verbs.RecvWR, 300)
	for i := range recvs {
		recvs[i].Local = b.sge(8)
	}
	m, err := b.qp.PostRecv(recvs)
	if !errors.Is(err, verbs.ErrQueueFull) || m < 4 || m >= len(recvs) {
		t.Errorf("PostRecv = %d, %v, want at least 4 and ErrQueueFull", m, err)
	}
}

// TestSendsOutliveTheirAddressHandle checks sends after Close. soft-RoCE looks up the address
// handle when a send leaves, and ends the QP if it is gone.
func TestSendsOutliveTheirAddressHandle(t *testing.T) {
	d := open(t)
	e := newEnd(t, d, verbs.UD, 64)
	must.Do(t, e.qp.Connect(verbs.Endpoint{}))
	for range 20 {
		ah := must.Get(e.pd.CreateAH(e.qp.Local()))(t)
		wr := verbs.SendWR{Op: verbs.OpSend, Local: e.sge(8), AH: ah.Handle(), QPN: e.qp.Num(), QKey: testQKey}
		wrs := make([]verbs.SendWR, 16)
		for i := range wrs {
			wrs[i] = wr
		}
		wrs[len(wrs)-1].Flags = verbs.Signaled
		e.post(t, wrs...)
		must.Do(t, ah.Close())
		e.complete(t)
	}
}

// TestBadWorkRequest checks that the work requests before the bad one in the list are posted.
func TestBadWorkRequest(t *testing.T) {
	d := open(t)
	e := newEnd(t, d, verbs.UD, 4)
	must.Do(t, e.qp.Connect(verbs.Endpoint{}))
	ah := must.Get(e.pd.CreateAH(e.qp.Local()))(t)
	good := verbs.SendWR{
		Op: verbs.OpSend, Local: e.sge(8), AH: ah.Handle(), QPN: e.qp.Num(), QKey: testQKey,
		Flags: verbs.Signaled,
	}
	for name, spoil := range map[string]func(*verbs.SendWR){
		"no address handle":      func(wr *verbs.SendWR) { wr.AH = 0 },
		"unknown address handle": func(wr *verbs.SendWR) { wr.AH = 1 << 31 },
		"no operation":           func(wr *verbs.SendWR) { wr.Op = 0 },
		"unknown operation":      func(wr *verbs.SendWR) { wr.Op = 99 },
	} {
		bad := good
		spoil(&bad)
		n, err := e.qp.PostSend([]verbs.SendWR{good, bad, good})
		if n != 1 || err == nil || !strings.Contains(err.Error(), "work request 2 of 3") ||
			!strings.Contains(err.Error(), "EINVAL") {
			t.Errorf("%s: PostSend = %d, %v, want 1 and EINVAL of request 2", name, n, err)
		}
		e.complete(t)
	}
	must.Do(t, ah.Close())
	if n, err := e.qp.PostSend([]verbs.SendWR{good}); n != 0 || err == nil {
		t.Errorf("PostSend with a closed address handle = %d, %v", n, err)
	}
}

// TestConformance runs one device against itself: soft-RoCE allows no second one in a network
// namespace.
func TestConformance(t *testing.T) {
	verbstest.Loopback(t, open(t), open(t))
}

const testQKey = 0x11111111

// end is a queue pair with what it needs.
type end struct {
	pd verbs.PD
	cq verbs.CQ
	mr verbs.MR
	qp verbs.QP
}

func newEnd(t *testing.T, d verbs.Device, typ verbs.QPType, depth int) *end {
	t.Helper()
	e := &end{pd: must.Get(d.AllocPD())(t), cq: must.Get(d.CreateCQ(2 * depth))(t)}
	e.mr = must.Get(e.pd.AllocMR(4096, verbs.RemoteWrite))(t)
	e.qp = must.Get(e.pd.CreateQP(verbs.QPConfig{
		Type: typ, SendCQ: e.cq, RecvCQ: e.cq, MaxSend: depth, MaxRecv: depth, MaxInline: 32, QKey: testQKey,
	}))(t)
	return e
}

func connect(t *testing.T, a, b *end) {
	t.Helper()
	for _, err := range []error{a.qp.Connect(b.qp.Local()), b.qp.Connect(a.qp.Local())} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func (e *end) sge(n int) verbs.SGE {
	return verbs.SGE{Addr: e.mr.Addr(), Length: uint32(n), LKey: e.mr.LKey()}
}

func (e *end) write(to *end, n int) verbs.SendWR {
	return verbs.SendWR{Op: verbs.OpWrite, Local: e.sge(n), Remote: to.mr.Addr(), RKey: to.mr.RKey()}
}

func (e *end) post(t *testing.T, wrs ...verbs.SendWR) {
	t.Helper()
	if n, err := e.qp.PostSend(wrs); n != len(wrs) || err != nil {
		t.Fatalf("PostSend = %d of %d, %v", n, len(wrs), err)
	}
}

// complete waits for one completion.
func (e *end) complete(t *testing.T) verbs.WC {
	t.Helper()
	var wcs [1]verbs.WC
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); {
		n := must.Get(e.cq.Poll(wcs[:]))(t)
		if n == 1 {
			return wcs[0]
		}
		time.Sleep(100 * time.Microsecond)
	}
	t.Fatal("no completion within 5 s")
	return verbs.WC{}
}
