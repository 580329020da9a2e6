package load

import (
	"math"
	"slices"
	"testing"
)

// TestGapsAreExponential is the Kolmogorov-Smirnov test: the largest distance between the
// distribution of the gaps and 1 − e⁻ˣ exceeds 1.95/√n once in a thousand times.
func TestGapsAreExponential(t *testing.T) {
	const n = 100_000
	for seed := range uint64(5) {
		gaps, sum := make([]float64, n), 0.0
		g := NewGaps(&Workload{Seed: seed}, int(seed)*3)
		for i := range gaps {
			gaps[i] = g.Next()
			sum += gaps[i]
		}
		if sigmas := math.Abs(sum-n) / math.Sqrt(n); sigmas > 4 {
			t.Errorf("seed %d: the mean gap is %v, %.1f sigmas from 1", seed, sum/n, sigmas)
		}
		slices.Sort(gaps)
		distance := 0.0
		for i, gap := range gaps {
			want := 1 - math.Exp(-gap)
			distance = max(distance, math.Abs(want-float64(i)/n), math.Abs(want-float64(i+1)/n))
		}
		if limit := 1.95 / math.Sqrt(n); distance > limit {
			t.Errorf("seed %d: %v from the exponential distribution, want at most %v", seed, distance, limit)
		}
	}
}

// TestGapsAreUncorrelated: a gap predicts neither the next one nor another thread's.
func TestGapsAreUncorrelated(t *testing.T) {
	const n = 100_000
	a, b := NewGaps(&Workload{Seed: 1}, 0), NewGaps(&Workload{Seed: 1}, 1)
	next, other, last := 0.0, 0.0, a.Next()-1
	for range n {
		gap := a.Next() - 1
		next, other, last = next+gap*last, other+gap*(b.Next()-1), gap
	}
	for name, sum := range map[string]float64{"the next gap": next, "another thread": other} {
		if sigmas := math.Abs(sum) / math.Sqrt(n); sigmas > 4 {
			t.Errorf("the correlation with %s is %.1f sigmas from none", name, sigmas)
		}
	}
}

func TestGapsDependOnSeedAndThread(t *testing.T) {
	first := func(seed uint64, thread int) float64 {
		g := NewGaps(&Workload{Seed: seed}, thread)
		return g.Next()
	}
	if first(1, 2) != first(1, 2) {
		t.Error("the same seed and thread gave another sequence")
	}
	if first(1, 2) == first(1, 3) || first(1, 2) == first(2, 2) {
		t.Error("another thread or seed gave the same sequence")
	}
}
