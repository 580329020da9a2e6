package sample

import (
	"math"
	"slices"
)

// Confidence is the level of every interval.
const Confidence = 0.95

// tail is the probability on either side of an interval.
const tail = (1 - Confidence) / 2

// Interval is an estimate with the ends of its interval at [Confidence].
type Interval struct {
	Estimate, Low, High float64
	// Range tells that there are too few values for an interval. Low and High are the least and the
	// greatest instead.
	Range bool
}

type number interface {
	~int | ~int64 | ~uint64 | ~float64
}

// Median is the median of values, or 0 of none. That of an even number is the mean of the middle
// two.
func Median[N number](values []N) N {
	if len(values) == 0 {
		return 0
	}
	return middle(slices.Sorted(slices.Values(values)))
}

func middle[N number](sorted []N) N {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// Center estimates the median of at least one value. The interval is that of the sign test.
func Center(values []float64) Interval {
	return Within(slices.Sorted(slices.Values(values)), signs(len(values)))
}

// Within is the median of sorted values, and the kth from either end. Without a k, it is the range.
func Within(sorted []float64, k int) Interval {
	at := max(0, k-1)
	return Interval{middle(sorted), sorted[at], sorted[len(sorted)-1-at], k == 0}
}

// signs is the greatest k for which at most k-1 of n tosses of a coin are heads with a probability
// of at most half the rest of the confidence. It is 0 if there is none.
func signs(n int) int {
	// Many tosses have practically no mass beyond ten deviations, where 2^-n would be no float.
	k := max(0, int(float64(n)/2-10*math.Sqrt(float64(n))/2))
	ways := math.Exp2(-float64(n)) // share of exactly k heads
	if k > 0 {
		ways = math.Exp(logFactorial(n) - logFactorial(k) - logFactorial(n-k) -
			float64(n)*math.Ln2)
	}
	for below := ways; below <= tail; k++ {
		ways *= float64(n-k) / float64(k+1)
		below += ways
	}
	return k
}

func logFactorial(n int) float64 {
	log, _ := math.Lgamma(float64(n) + 1)
	return log
}
