package answer

import (
	"slices"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
)

// costing is what an operation costs the hosts and the DPUs.
func costing(host, dpu float64) func(*results.Point) {
	return func(p *results.Point) {
		p.Parts = []results.Part{{Node: results.Node{Node: "server", Kind: results.KindDPU}}}
		p.ClientHostCPUNsPerOp, p.ServerDPUCPUNsPerOp = host, dpu
	}
}

// said is the answer of points, which must have one.
func said(t *testing.T, points ...[]results.Point) Answer {
	t.Helper()
	a, ok := Of(slices.Concat(points...), Options{Metric: p99(t)})
	if !ok {
		t.Fatal("no answer")
	}
	return a
}

// TestSaving: a line on DPUs that costs the hosts less is named, with what it costs in throughput.
func TestSaving(t *testing.T) {
	best := placed("CH-SH", 4e6, 6, costing(341, 0))
	for name, row := range map[string]struct {
		other []results.Point
		want  string
	}{
		"free hosts": {
			placed("CD-SD", 2.5e6, 6, costing(0, 900)),
			" CD-SD costs the hosts 0 instead of 341 ns of CPU time per operation, at 62.6 % of that throughput.",
		},
		"as dear":     {placed("CH-SD", 2.5e6, 6, costing(341, 900)), ""},
		"no DPU":      {placed("CH-SH2", 2.5e6, 6, costing(100, 0)), ""},
		"not known":   {placed("CH-SD", 2.5e6, 6, costing(0, 0)), ""},
		"the dearest": {placed("CH-SD", 2.5e6, 6, costing(500, 900)), ""},
	} {
		text := said(t, best, row.other).Text
		if _, saves, _ := strings.Cut(text, "0.031."); saves != row.want {
			t.Errorf("%s: found %q, want %q", name, saves, row.want)
		}
	}
}

// TestSavingShare: a share above all of it is so many times.
func TestSavingShare(t *testing.T) {
	for want, with := range map[string][2]float64{
		" at 0.250 % of that throughput.":          {0.0025, 0.0025},
		" at 100 % of that throughput.":            {0.9999, 1},
		" at 1.02 times that throughput.":          {1.02, 1.02},
		" at 0.960 to 1.05 times that throughput.": {0.96, 1.05},
	} {
		if got := (saving{with: with}).String(); !strings.HasSuffix(got, want) {
			t.Errorf("found %q, want %q at its end", got, want)
		}
	}
}

// TestSavingOfAllCases has the ranges of all cases.
func TestSavingOfAllCases(t *testing.T) {
	half := func(p *results.Point) { p.GetRatio = 0.5 }
	text := said(t, placed("CH-SH", 4e6, 6, costing(341, 0)), placed("CD-SD", 2.5e6, 6, costing(0, 900)),
		placed("CH-SH", 4e6, 6, costing(400, 0), half), placed("CD-SD", 2e6, 6, costing(10, 900), half)).Text
	const want = " CD-SD costs the hosts 0 to 10.0 instead of 341 to 400 ns of CPU time per operation, " +
		"at 50.0 to 62.6 % of that throughput."
	if !strings.Contains(text, want) {
		t.Errorf("found %q, want it with %q", text, want)
	}
}

// TestRehearsal: emulated machines make no placement the best.
func TestRehearsal(t *testing.T) {
	emulated := func(p *results.Point) { p.Emulated, p.EmulatedTestbed = true, "network namespaces, dpuA as bf2" }
	a := said(t, placed("CH-SH", 4e6, 6, emulated), placed("CH-SD", 2.5e6, 6, emulated))
	if !a.Rehearsal || !strings.HasPrefix(a.Text, "Rehearsal on emulated machines") ||
		!strings.Contains(a.Text, "CH-SH leads: 2.53 Mops") || strings.Contains(a.Text, "best") {
		t.Errorf("found %+v", a)
	}
}

// TestBaselinesAreNoRivals: submodes are compared with one another, and the best of them with what has
// nothing on the path. Of two submodes on one stand-in, the first counts.
func TestBaselinesAreNoRivals(t *testing.T) {
	through := func(submode, datapath, standIn string, peak float64) []results.Point {
		return placed("CH-SH", peak, 6, func(p *results.Point) {
			p.Submode, p.Datapath, p.Substitute = submode, datapath, standIn
		})
	}
	a := said(t, through("direct", "none", "", 5e6), through("sm1", "ovs", "", 2.5e6),
		through("sm4", "tcx", "a tcx program stands in for the eSwitch", 4e6),
		through("sm5", "tcx", "a tcx program stands in for the eSwitch", 4e6))
	must.Contain(t, a.Text,
		"SM4 is the best submode: ", " times that of SM1 (", " It has 0.800 times that of direct",
		", the baseline (95 % interval: ", " Not compared, since the same stand-in forwarded: SM5.",
	)
	if one := said(t, through("direct", "none", "", 5e6)); one.Verdict != Alone {
		t.Errorf("found %+v, want the baseline alone", one)
	}
}
