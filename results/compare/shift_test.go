package compare

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dpukv/internal/sample"
	"dpukv/results"
)

// The limits of U at 0.05, two-sided, from the tables of the test: the interval begins one above.
func TestOutsideIsThatOfTheTables(t *testing.T) {
	for _, c := range []struct{ n, m, want int }{
		{3, 3, 0},
		{4, 4, 1},
		{5, 5, 3},
		{6, 6, 6},
		{4, 8, 5},
		{8, 8, 14},
		{10, 10, 24},
		{20, 20, 128},
	} {
		if got := outside(c.n, c.m); got != c.want {
			t.Errorf("%d and %d: %d, want %d", c.n, c.m, got, c.want)
		}
	}
	if exact, near := outside(25, 25), outside(26, 25); near < exact || near > exact+15 {
		t.Errorf("the approximation jumps from %d to %d", exact, near)
	}
}

// Both sides are in one of two states, with a factor of 2 between them. One repeat in the other
// state moves the ratio of the medians to 1.33.
func TestChangeIsOfAllPairs(t *testing.T) {
	a, b := []float64{10, 10, 10, 20, 20, 20}, []float64{10, 10, 20, 20, 20, 20}
	if got, lo, hi := change(Ratio(b, a)); got != 0 || *lo != -0.5 || *hi != 1 {
		t.Errorf("changed by %v, from %v to %v", got, *lo, *hi)
	}
	if got, lo, _ := change(Ratio([]float64{2, 4, 6}, []float64{1, 2, 3})); got != 1 || lo != nil {
		t.Errorf("changed by %v, from %v", got, lo)
	}
}

// TestIntervalsOfRepeatsHoldTheTruth: the intervals of a median, of a ratio, and of a ratio by pairs
// hold it at the stated rate, under noise with a long tail and of two states, too.
func TestIntervalsOfRepeatsHoldTheTruth(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	const truth = 1.1
	trials := 2000
	if testing.Short() {
		trials = 400
		t.Log("a short run: fewer trials")
	}
	for name, noise := range map[string]struct {
		of     func() float64
		median float64
	}{
		"normal":      {func() float64 { return math.Exp(0.05 * rng.NormFloat64()) }, 1},
		"a long tail": {func() float64 { return math.Exp(0.05 * rng.ExpFloat64()) }, math.Exp(0.05 * math.Ln2)},
		"two states": {func() float64 {
			return math.Exp(0.01*rng.NormFloat64() - 0.1*float64(rng.IntN(10)/7))
		}, math.Exp(0.01 * -0.5659)}, // the median is the normal's quantile at 2/7
	} {
		for _, n := range []int{4, results.DefaultRepeats, 12, 30} {
			held := [3]int{}
			for range trials {
				var p Pairs
				for range n {
					p.A, p.B = append(p.A, truth*noise.of()), append(p.B, noise.of())
				}
				for i, in := range []struct {
					found sample.Interval
					truth float64
				}{{sample.Center(p.B), noise.median}, {Ratio(p.A, p.B), truth}, {p.Ratio(), truth}} {
					if in.found.Range || in.found.Low <= in.truth && in.truth <= in.found.High {
						held[i]++
					}
				}
			}
			t.Logf("%s, %d repeats: of %d, median %d, ratio %d, pairs %d", name, n, trials, held[0], held[1], held[2])
			// Four standard deviations below the rate.
			all, rate := float64(trials), results.Confidence
			least := int(all*rate - 4*math.Sqrt(all*rate*(1-rate)))
			if slices.Min(held[:]) < least {
				t.Errorf("%s, %d repeats: %v of %d intervals hold the truth, want at least %d",
					name, n, held, trials, least)
			}
		}
	}
}
