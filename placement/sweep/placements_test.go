package sweep

import (
	"slices"
	"testing"

	"dpukv/placement/testbed"
	"dpukv/results"
)

// Figures and tables list the study's placements in the order of the testbeds.
func TestPlacementsHaveOneOrder(t *testing.T) {
	var want []string
	var points []*results.Point
	for _, p := range (&testbed.Testbed{}).Placements() {
		want = append(want, p.Name)
		points = append([]*results.Point{{Asked: results.Asked{Placement: p.Name}}}, points...)
	}
	var found []string
	for _, g := range results.Group(results.Named("placement"), points) {
		found = append(found, g[0].Placement)
	}
	if !slices.Equal(found, want) {
		t.Errorf("results have the order %q, testbeds %q", found, want)
	}
}
