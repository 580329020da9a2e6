package answer

import (
	"testing"

	"dpukv/results"
	"dpukv/results/resultstest"
)

// TestPlacementsOfOneTestbed: placements are compared although each has machines of its own.
func TestPlacementsOfOneTestbed(t *testing.T) {
	var points []results.Point
	for _, placement := range []string{"CH-SH", "CD-SH"} {
		for repeat := 1; repeat <= 4; repeat++ {
			points = append(points, resultstest.LocalPoint(func(p *results.Point) {
				p.Placement, p.Machine, p.Repeat = placement, "machines of "+placement, repeat
			}))
		}
	}
	h, ok := Of(points, Options{Metric: results.LatencyMetrics()[3]})
	if !ok || len(h.Cases) != 1 || h.Verdict == Alone {
		t.Errorf("found %+v", h)
	}
}
