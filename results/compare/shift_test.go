package compare

import (
	"math"
	"math/rand/v2"
	"testing"

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
	if got, lo, hi := change(a, b); got != 0 || *lo != -0.5 || *hi != 1 {
		t.Errorf("changed by %v, from %v to %v", got, *lo, *hi)
	}
	if got, lo, _ := change([]float64{1, 2, 3}, []float64{2, 4, 6}); got != 1 || lo != nil {
		t.Errorf("changed by %v, from %v", got, lo)
	}
}

// The interval has the true change at the stated rate, with a long tail too.
func TestIntervalOfChangeHasTheTruth(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	const trials, truth = 2000, 0.1
	for _, n := range []int{4, results.DefaultRepeats, 30} {
		held := 0
		for range trials {
			var a, b []float64
			for range n {
				a = append(a, math.Exp(0.05*rng.ExpFloat64()))
				b = append(b, (1+truth)*math.Exp(0.05*rng.ExpFloat64()))
			}
			if _, lo, hi := change(a, b); *lo <= truth && truth <= *hi {
				held++
			}
		}
		// Four standard deviations below the rate.
		if least := trials*results.Confidence - 4*math.Sqrt(trials*0.05*0.95); float64(held) < least {
			t.Errorf("n=%d: %d of %d intervals hold the change, want at least %.0f", n, held, trials, least)
		}
	}
}
