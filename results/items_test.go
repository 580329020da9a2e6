package results

import (
	"testing"

	"dpukv/kvs"
)

// TestCombineItems takes two clients that read items: their means by GETs, and the server's CPU time
// over the operations of both, as each client knows only its own.
func TestCombineItems(t *testing.T) {
	point := func(gets uint64, reads float64) *Point {
		p := &Point{}
		p.Ops, p.Gets, p.ServerThreads, p.DurationNs, p.ServerCPUShare = gets, gets, 1, 1000, .5
		p.ServerCPUNsPerOp = 500 / float64(gets)
		p.Items = &Items{ReadsPerGet: reads, Responder: "nobody"}
		p.Parts = []Part{{Part: kvs.PartServer, CPUNsPerOp: p.ServerCPUNsPerOp}}
		return p
	}
	points := []*Point{point(10, 1), point(30, 2)}
	p, differ := combineFields(points)
	if len(differ) > 0 {
		t.Error(differ)
	}
	combineParts(p, points)
	combineServerCPU(p)
	if p.Items.ReadsPerGet != 1.75 || p.Items.Responder != "nobody" || points[0].Items.ReadsPerGet != 1 {
		t.Errorf("found %+v, want 1.75 READs per GET; the first client's are %v", *p.Items, points[0].Items.ReadsPerGet)
	}
	if p.ServerCPUNsPerOp != 12.5 || p.Parts[0].CPUNsPerOp != 12.5 {
		t.Errorf("the server: found %v and %v, want 12.5", p.ServerCPUNsPerOp, p.Parts[0].CPUNsPerOp)
	}
}
