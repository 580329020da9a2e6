package results_test

import (
	"math"
	"testing"

	"dpukv/results"
)

// TestDefaultRepeats: one repeat less has no interval.
func TestDefaultRepeats(t *testing.T) {
	missed := func(n int) float64 { return 2 / math.Pow(2, float64(n)) }
	if n := results.DefaultRepeats; missed(n) > 1-results.Confidence || missed(n-1) <= 1-results.Confidence {
		t.Errorf("%d repeats miss the median with %v, one less with %v", n, missed(n), missed(n-1))
	}
}
