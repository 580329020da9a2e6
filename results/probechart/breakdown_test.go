package probechart

import (
	"fmt"
	"strings"
	"testing"

	"dpukv/results"
	"dpukv/results/resultstest"
)

// curvesOf are points of two stores whose placements the probes measured, and of one that they did
// not.
func curvesOf() []results.Point {
	at := func(submode string) func(*results.Point) {
		return func(p *results.Point) {
			p.Submode = submode
			p.ServerNode = results.Node{Node: "hostB", Kind: "host"}
			p.Ops = uint64(p.ThroughputOps * 5)
			p.ClientMovedWindow.Sockets.ReceivedBytes = p.Ops * 20
		}
	}
	points := resultstest.Curve(4e6, []int{1, 8}, 3, at("sm1"))
	points = append(points, resultstest.Curve(4e6, []int{1, 8}, 3, at("off-path"))...)
	return append(points, resultstest.Curve(9e6, []int{1, 8}, 3, at("off-path"), func(p *results.Point) {
		p.Store, p.Transport, p.Provider = "herd", "rdma", "softroce"
	})...)
}

func TestBreakdown(t *testing.T) {
	var b strings.Builder
	for _, c := range Breakdown(curvesOf(), resultstest.StudyProbes()) {
		fmt.Fprintf(&b, "%s: %s\n", c.Title, c.Reaches)
		for _, p := range c.Parts {
			fmt.Fprintf(&b, "  %s: %s | %s | %s | %t\n", p.Name, p.Measured, p.Follows, p.Missing, p.Emulated)
		}
	}
	resultstest.Golden(t, "breakdown.txt.golden", []byte(b.String()))
}

func TestBreakdownOfNothing(t *testing.T) {
	if got := Breakdown(curvesOf(), nil); got != nil {
		t.Errorf("without probes: %+v", got)
	}
	if got := Breakdown(nil, resultstest.StudyProbes()); got != nil {
		t.Errorf("without stores: %+v", got)
	}
}

// TestBreakdownOfSources: in a merged folder, a probe speaks of its own run only.
func TestBreakdownOfSources(t *testing.T) {
	points, probes := curvesOf(), resultstest.StudyProbes()
	for i := range points {
		points[i].Source = 2
	}
	for i := range probes {
		probes[i].Source = 1
	}
	for _, c := range Breakdown(points, probes) {
		for _, p := range c.Parts {
			if p.Measured != "" || p.Missing == "" {
				t.Errorf("%s: %+v", c.Title, p)
			}
		}
	}
}
