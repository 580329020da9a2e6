package measure

import (
	"math/rand/v2"
	"testing"

	"dpukv/hashbench/result"
)

// The ranks are those of the sign test, from tables. Of n values the interval runs from the
// (rank+1)-th least to the (rank+1)-th greatest.
func TestLowerRank(t *testing.T) {
	for n, want := range map[int]int{6: 0, 8: 0, 9: 1, 10: 1, 15: 3, 20: 5, 25: 7, 50: 17} {
		if got := lowerRank(n); got != want {
			t.Errorf("of %d values: %d, want %d", n, got, want)
		}
	}
}

func TestMedian(t *testing.T) {
	got := median([]float64{9, 1, 2, 3, 4, 5, 6, 7, 8})
	if want := (result.Interval{Median: 5, Low: 2, High: 8}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := median([]float64{4, 2}).Median; got != 3 {
		t.Errorf("of two: %v", got)
	}
}

// The interval holds the true median as often as promised. The distribution is as skewed as
// disturbances are.
func TestIntervalCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const trials = 4000
	holds := 0
	for range trials {
		values := make([]float64, 25)
		for i := range values {
			values[i] = rng.ExpFloat64()
		}
		if m := median(values); m.Low <= 0.693147 && 0.693147 <= m.High {
			holds++
		}
	}
	if share := float64(holds) / trials; share < 0.94 {
		t.Errorf("%v of the intervals hold the median", share)
	}
}
