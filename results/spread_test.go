package results_test

import (
	"math"
	"testing"

	"dpukv/results"
)

// spreadOf is the spread of these throughputs.
func spreadOf(values []float64) results.Spread {
	var points []*results.Point
	for _, v := range values {
		points = append(points, &results.Point{Counted: results.Counted{ThroughputOps: v}})
	}
	return results.SpreadBy(points, func(p *results.Point) float64 { return p.ThroughputOps })
}

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   results.Spread
	}{
		{[]float64{5}, results.Spread{5, 5, 5}},
		{[]float64{9, 1}, results.Spread{1, 5, 9}},
		{[]float64{9, 1, 2}, results.Spread{1, 2, 9}},
		{[]float64{9, 1, 2, 4}, results.Spread{1, 3, 9}},
	} {
		if got := spreadOf(c.values); got != c.want {
			t.Errorf("spread of %v: %v, want %v", c.values, got, c.want)
		}
	}
}

// TestDefaultRepeats: one repeat less has no interval.
func TestDefaultRepeats(t *testing.T) {
	missed := func(n int) float64 { return 2 / math.Pow(2, float64(n)) }
	if n := results.DefaultRepeats; missed(n) > 1-results.Confidence || missed(n-1) <= 1-results.Confidence {
		t.Errorf("%d repeats miss the median with %v, one less with %v", n, missed(n), missed(n-1))
	}
}
