//go:build ibverbs && linux

package ibverbs

import (
	"testing"
	"time"

	"dpukv/verbs"
)

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
	e := &end{pd: must[verbs.PD](t)(d.AllocPD()), cq: must[verbs.CQ](t)(d.CreateCQ(2 * depth))}
	e.mr = must[verbs.MR](t)(e.pd.AllocMR(4096, verbs.RemoteWrite))
	e.qp = must[verbs.QP](t)(e.pd.CreateQP(verbs.QPConfig{
		Type: typ, SendCQ: e.cq, RecvCQ: e.cq, MaxSend: depth, MaxRecv: depth, MaxInline: 32, QKey: testQKey,
	}))
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
		n, err := e.cq.Poll(wcs[:])
		if err != nil {
			t.Fatal(err)
		}
		if n == 1 {
			return wcs[0]
		}
		time.Sleep(100 * time.Microsecond)
	}
	t.Fatal("no completion within 5 s")
	return verbs.WC{}
}
