package claims

import (
	"math"
	"slices"
	"strings"
	"testing"

	"dpukv/results"
	"dpukv/results/resultstest"
)

// placed is a store's curve under a placement. It peaks at ops, and its latency at the highest load
// is ns.
func placed(store, placement string, ops, ns float64, edits ...func(*results.Point)) []results.Point {
	return resultstest.Curve(ops, []int{1, 2, 4}, 4, append([]func(*results.Point){func(p *results.Point) {
		p.Store, p.Placement = store, placement
		p.ThroughputOps = ops * float64(p.ClientThreads) / 4 * (1 + 0.01*(float64(p.Repeat)-2.5))
		p.Latency = resultstest.Latency(ns * float64(p.ClientThreads) / 4 * (1 + 0.01*(float64(p.Repeat)-2.5)))
	}}, edits...)...)
}

func outcomes(t *testing.T, finding string, runs ...Run) []Outcome {
	t.Helper()
	ev := Evidence{Runs: runs}
	return slices.DeleteFunc(book(t).Evaluate(ev), func(o Outcome) bool { return o.Finding != finding })
}

func bf2(points ...[]results.Point) Run {
	return generation("bf2", points...)
}

func all(share float64) func(*results.Point) {
	return func(p *results.Point) { p.GetRatio = share }
}

func TestVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		dpu   float64 // peak with the client on the DPU; 1.47 with it on the host
		edits []func(*results.Point)
		want  Verdict
		word  string
	}{
		"as in the study": {1e6, nil, Agrees, "agrees (within 20 %)"},
		"too little":      {1.4e6, nil, Disagrees, "disagrees (not within 20 %, the same side is ahead)"},
		"the other way":   {2e6, nil, Disagrees, "disagrees (not within 20 %, the other side is ahead)"},
		"over an emulation": {
			1e6,
			[]func(*results.Point){func(p *results.Point) { p.Emulated, p.EmulatedTestbed = true, "bf2 by quota" }},
			Agrees, "agrees (within 20 %) [emulated]",
		},
		"over software RDMA": {
			1e6,
			[]func(*results.Point){func(p *results.Point) { p.Emulated, p.Provider = true, "softroce" }},
			Agrees, "agrees (within 20 %) [emulated]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			edits := append([]func(*results.Point){all(1)}, c.edits...)
			got := outcomes(t, "A1-mica-bf2", bf2(placed("mica", "CH-SH", 1.47e6, 1e5, edits...),
				placed("mica", "CD-SH", c.dpu, 1e5, edits...)))
			if got[0].Verdict != c.want || got[0].Word() != c.word {
				t.Fatalf("found %+v, %q", got, got[0].Word())
			}
			if m := *got[0].Measured; math.Abs(m-1.47e6/c.dpu) > 1e-9 || *got[0].Low >= m || *got[0].High <= m {
				t.Errorf("measured %v (%v to %v)", m, *got[0].Low, *got[0].High)
			}
		})
	}
}

func TestNotMeasured(t *testing.T) {
	points := placed("mica", "CH-SH", 1e6, 1e5, all(1))
	for name, c := range map[string]struct {
		run  Run
		want string
	}{
		"no DPU": {Run{Name: "here", Points: points}, "no run whose DPUs are BF-2"},
		"another generation": {
			Run{Name: "there", Points: points, Generations: []string{"bf3"}}, "no run whose DPUs are BF-2",
		},
		"two generations at once": {
			Run{Name: "mixed", Points: points, Generations: []string{"bf2", "bf3"}}, "no run whose DPUs are BF-2",
		},
		"one side only": {bf2(points), "no point of MICA, CD-SH, off-path, 100 % GET, BF-2"},
		"other settings": {
			bf2(points, placed("mica", "CD-SH", 1e6, 1e5, all(1), func(p *results.Point) { p.Batch = 32 })),
			"different settings",
		},
		"other keys": {
			bf2(points, placed("mica", "CD-SH", 1e6, 1e5, all(1), func(p *results.Point) { p.Keys *= 2 })),
			"different settings",
		},
		"another access": {
			bf2(points, placed("mica", "CD-SH", 1e6, 1e5, all(1), func(p *results.Point) { p.Access = "crcw" })),
			"different settings",
		},
		"with a filter": {
			bf2(points,
				placed("mica", "CD-SH", 1e6, 1e5, all(1), func(p *results.Point) { p.Filter = "count-opcode" })),
			"no point of MICA, CD-SH",
		},
		"with a neighbour": {
			bf2(points,
				placed("mica", "CD-SH", 1e6, 1e5, all(1), func(p *results.Point) { p.Neighbour = "cache" })),
			"no point of MICA, CD-SH",
		},
		"failed": {
			bf2(points, placed("mica", "CD-SH", 1e6, 1e5, all(1), resultstest.Failed("?"))), "no point of MICA, CD-SH",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := outcomes(t, "A1-mica-bf2", c.run)[0]
			if got.Verdict != NotMeasured || got.Measured != nil || !strings.Contains(got.Why, c.want) {
				t.Errorf("found %s: %s, want %q", got.Verdict, got.Why, c.want)
			}
		})
	}
}
