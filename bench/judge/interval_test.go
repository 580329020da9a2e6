package main

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// TestInterval: known order statistics. Of six values, all are within; of 20, the sixth and the
// fifteenth are the bounds (Conover, Practical Nonparametric Statistics, table A3).
func TestInterval(t *testing.T) {
	for n, want := range map[int]int{6: 0, 8: 0, 9: 1, 20: 5, 100: 39, 1000: 468} {
		if got := outer(n); got != want {
			t.Errorf("%d values: found %d left out at each end, want %d", n, got, want)
		}
	}
	var values []float64
	for i := range 20 {
		values = append(values, float64(20-i))
	}
	if got, want := intervalOf(values), (interval{10.5, 6, 15, 20}); got != want {
		t.Errorf("found %+v, want %+v", got, want)
	}
	if values[0] != 20 {
		t.Error("the values were sorted in place")
	}
}

// TestIntervalHoldsTheMedian: of skewed samples, at most 5 % have intervals beside the median.
func TestIntervalHoldsTheMedian(t *testing.T) {
	rng := seeded(t)
	for _, n := range []int{fewest, 25, 400} {
		const samples = 4000
		beside := 0
		for range samples {
			values := make([]float64, n)
			for i := range values {
				values[i] = math.Exp(rng.NormFloat64()) // with a median of 1
			}
			if in := intervalOf(values); in.Lo > 1 || in.Hi < 1 {
				beside++
			}
		}
		// 5 %, and four standard deviations of a count of 5 %.
		if most := .05*samples + 4*math.Sqrt(.05*.95*samples); float64(beside) > most {
			t.Errorf("%d values: %d of %d intervals lie beside the median, allowed %.0f", n, beside, samples, most)
		}
	}
}

func seeded(t *testing.T) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}
