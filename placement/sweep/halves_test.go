package sweep

import (
	"maps"
	"testing"
)

// TestOneOfWhole: a placement has no points for the values of halves that it lacks.
func TestOneOfWhole(t *testing.T) {
	s := parsed(t, "placement: [CH-SH, CH-PD-SH, CH-ED-SH]\nanswers: [read, write]\n"+
		"engine_threads: [1, 2]\nclient_threads: [1, 2]\nget_ratio: 1\n")
	count := map[string]int{}
	ids := map[string]bool{}
	for _, pt := range s.Points() {
		if pt.Repeat == 1 {
			count[pt.Placement]++
		}
		ids[pt.ID] = true
	}
	want := map[string]int{"CH-SH": 2, "CH-PD-SH": 4, "CH-ED-SH": 8}
	if !maps.Equal(count, want) || len(ids) != len(s.Points()) {
		t.Errorf("found %v points, %d IDs of %d, want %v, and one ID each", count, len(ids),
			len(s.Points()), want)
	}
}
