package sweep

import "testing"

// TestOneOfWhole: placements without halves have no points for the values of halves.
func TestOneOfWhole(t *testing.T) {
	s, err := Parse("s.yaml", []byte("placement: [CH-SH, CH-ED-SH]\nanswers: [read, write]\n"+
		"engine_threads: [1, 2]\nclient_threads: [1, 2]\nget_ratio: 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	ids := map[string]bool{}
	for _, pt := range s.Points() {
		if pt.Repeat == 1 {
			count[pt.Placement]++
		}
		ids[pt.ID] = true
	}
	if count["CH-SH"] != 2 || count["CH-ED-SH"] != 8 || len(ids) != len(s.Points()) {
		t.Errorf("found %v points, %d IDs of %d, want 2 and 8, and one ID each", count, len(ids),
			len(s.Points()))
	}
}
