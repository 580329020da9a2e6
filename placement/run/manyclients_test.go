package run

import (
	"fmt"
	"regexp"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/runfolder"
)

// TestSweepOfFiveClients measures with five clients at once. Two of them share a CPU, and a warning
// names these. The point has the sum, each client's part, and one histogram of all.
func TestSweepOfFiveClients(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures for seconds")
	}
	cpus := allowedCPUs(t)
	last := cpus[len(cpus)-1]
	bed := fmt.Sprintf("nodes:\n  srv: {}\n  c1: {}\n  c2: {}\n  c3: {}\n  c4: {cpus: %q}\n  c5: {cpus: %q}\n"+
		"client_side: [c1, c2, c3, c4, c5]\nserver_side: srv\n"+
		"placements: {FIVE: {clients: [c1, c2, c3, c4, c5], server: srv}}\n", fmt.Sprint(last), fmt.Sprint(last))
	o := realOptions(t, "placement: FIVE\nget_ratio: 1\nclient_threads: 1\nkeys: 5000\nwarmup: 50ms\n"+
		"requests: [5000]\nrate: [0, 20000]\nrepeats: 1\n", bed)
	runAll(t, o)
	run := must.Get(runfolder.Open(o.Dir))(t)
	for _, p := range readPoints(t, o.Dir) {
		if p.Status == results.StatusOK {
			checkFiveClients(t, run, &p)
		}
	}
}

func checkFiveClients(t *testing.T, run *runfolder.Run, p *results.Point) {
	t.Helper()
	if err := results.Validate(p); err != nil {
		t.Error(err)
	}
	if len(p.Clients) != 5 || p.Ops != 5000 || p.Errors > 0 {
		t.Fatalf("%s: %d clients, %d operations, %d errors", p.ID, len(p.Clients), p.Ops, p.Errors)
	}
	for i := range p.Clients {
		c := &p.Clients[i]
		if c.Node.Node != fmt.Sprintf("c%d", i+1) || c.Ops != 1000 || c.RateOps != p.RateOps/5 ||
			c.BusyShare <= 0 || c.CPUShare <= 0 || (c.Lag == results.Lag{}) != (p.RateOps == 0) {
			t.Errorf("%s: the part of a client is %+v", p.ID, c)
		}
	}
	if !regexp.MustCompile(`(?m)^clients .*c4 and c5 share CPUs \(`).MatchString(p.Warnings.String()) {
		t.Errorf("%s: no warning names c4 and c5: %q", p.ID, p.Warnings)
	}
	h, err := results.MergeTag(must.Get(run.Histograms(p.ID))(t), results.TagIntended)
	if want := p.Ops + p.LateOps + p.UnsentOps + p.UnansweredOps; err != nil || uint64(h.TotalCount()) != want {
		t.Errorf("%s: the histogram has %d operations, want %d (%v)", p.ID, h.TotalCount(), want, err)
	}
}
