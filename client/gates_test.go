package client

import "testing"

// TestSampledMisses: a small number of GETs may miss more often than the mean allows, a large
// number may not. No GET may miss where nothing is lost.
func TestSampledMisses(t *testing.T) {
	for _, test := range []struct {
		gets, misses uint64
		minHitRate   float64
		allowed      bool
	}{
		{92, 1, .99, true},
		{92, 6, .99, false},
		{1_000_000, 10_000, .99, true},
		{1_000_000, 10_500, .99, false},
		{1_000_000, 0, 1, true},
		{1_000_000, 1, 1, false},
		{0, 0, .99, true},
	} {
		if got := float64(test.misses) <= sampledMisses(test.gets, test.minHitRate); got != test.allowed {
			t.Errorf("%d misses of %d GETs, at least %v must hit: allowed is %v, want %v",
				test.misses, test.gets, test.minHitRate, got, test.allowed)
		}
	}
}
