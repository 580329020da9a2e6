package results_test

import (
	"slices"
	"testing"

	"dpukv/results"
	"dpukv/results/resultstest"
)

// Lines come in the study's order of placements, then those of the testbed, whatever the order of
// the points.
func TestPlacementsInTheStudysOrder(t *testing.T) {
	var points []results.Point
	for _, name := range []string{"ours", "L-CD-SH", "CD-SD", "CDH-SH", "HOSTS-SD", "CH-SD", "CD-SH", "CH-SH"} {
		points = append(points, resultstest.LocalPoint(func(p *results.Point) { p.Placement = name }))
	}
	want := []string{"CH-SH", "CD-SH", "CDH-SH", "CH-SD", "CD-SD", "L-CD-SH", "HOSTS-SD", "ours"}
	var labels []string
	for i, l := range results.Charts(points)[0].Lines {
		labels = append(labels, l.Label)
		if l.Style != i {
			t.Errorf("line %d has style %d", i, l.Style)
		}
	}
	if !slices.Equal(labels, want) {
		t.Errorf("lines %q, want %q", labels, want)
	}
}
