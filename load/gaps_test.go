package load

import (
	"math"
	"slices"
	"testing"
)

// TestGapsFollowTheirDistribution is the Kolmogorov-Smirnov test: the largest distance between the
// distribution of the gaps and its formula exceeds 1.95/√n once in a thousand times. The variance of
// the generalized Pareto distribution is 1/(1 − 2·shape) for a mean of 1.
func TestGapsFollowTheirDistribution(t *testing.T) {
	const n = 100_000
	for arrivals, of := range map[string]struct {
		below    func(x float64) float64
		variance float64
	}{
		Poisson: {func(x float64) float64 { return 1 - math.Exp(-x) }, 1},
		Bursts: {func(x float64) float64 {
			return 1 - math.Pow(1+etcGapShape*x/(1-etcGapShape), -1/etcGapShape)
		}, 1 / (1 - 2*etcGapShape)},
	} {
		for seed := range uint64(5) {
			gaps, sum := make([]float64, n), 0.0
			g := NewGaps(seed, arrivals, int(seed)*3)
			for i := range gaps {
				gaps[i] = g.Next()
				sum += gaps[i]
			}
			if sigmas := math.Abs(sum-n) / math.Sqrt(n*of.variance); sigmas > 4 {
				t.Errorf("%s, seed %d: the mean gap is %v, %.1f sigmas from 1", arrivals, seed, sum/n, sigmas)
			}
			slices.Sort(gaps)
			distance := 0.0
			for i, gap := range gaps {
				want := of.below(gap)
				distance = max(distance, math.Abs(want-float64(i)/n), math.Abs(want-float64(i+1)/n))
			}
			if limit := 1.95 / math.Sqrt(n); distance > limit {
				t.Errorf("%s, seed %d: %v from the distribution, want at most %v", arrivals, seed, distance, limit)
			}
		}
	}
}

// TestGapsAreUncorrelated: a gap predicts neither the next one nor another thread's.
func TestGapsAreUncorrelated(t *testing.T) {
	const n = 100_000
	a, b := NewGaps(1, Poisson, 0), NewGaps(1, Poisson, 1)
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
		g := NewGaps(seed, Poisson, thread)
		return g.Next()
	}
	if first(1, 2) != first(1, 2) {
		t.Error("the same seed and thread gave another sequence")
	}
	if first(1, 2) == first(1, 3) || first(1, 2) == first(2, 2) {
		t.Error("another thread or seed gave the same sequence")
	}
}
