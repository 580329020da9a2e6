package compare

import (
	"math"
	"slices"

	"dpukv/results"
)

const (
	tail         = (1 - results.Confidence) / 2 // on either side of an interval
	tailQuantile = 1.959964                     // of the normal distribution, at tail
)

// Interval is an estimate with the ends of its interval at [results.Confidence].
type Interval struct {
	Estimate, Low, High float64
	// Range tells that there are too few values for an interval. Low and High are the least and the
	// greatest instead.
	Range bool
}

// Ratio estimates a over b, after Hodges and Lehmann: the median of their ratio over all pairs of
// values, which are positive. The test compares the same pairs with 1, so the estimate fits its
// verdict; the ratio of the medians may not.
func Ratio(a, b []float64) Interval {
	pairs := ratios(a, b)
	return pairs.interval(outside(len(a), len(b)))
}

// Center estimates the median of at least one value. The interval is that of the sign test.
func Center(values []float64) Interval {
	return interval(slices.Clone(values), signs(len(values)))
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

// interval is the median of the values, and the kth from either end. Without a k, it is the range.
func interval(values []float64, k int) Interval {
	slices.Sort(values)
	n, at := len(values), max(0, k-1)
	return Interval{
		(values[(n-1)/2] + values[n/2]) / 2, values[at], values[n-1-at], k == 0,
	}
}

// change is how far a ratio is from 1. Its ends are nil if the samples are too small for an
// interval.
func (r Interval) change() (estimate float64, lo, hi *float64) {
	r.Low, r.High = r.Low-1, r.High-1
	if !r.Range {
		lo, hi = &r.Low, &r.High
	}
	return r.Estimate - 1, lo, hi
}

// outside is the greatest k for which the kth ratio from either end is an end of the interval: U
// is below k with a probability of at most half the rest of the confidence. It is 0 if there is
// none.
func outside(n, m int) int {
	if n+m > exactMost {
		pairs := float64(n) * float64(m)
		deviation := math.Sqrt(pairs * float64(n+m+1) / 12)
		return max(0, int(pairs/2-tailQuantile*deviation))
	}
	ranks := make([]int, n+m)
	for i := range ranks {
		ranks[i] = i + 1
	}
	ways, all := waysToSum(ranks, n), 0.0
	for _, w := range ways {
		all += w
	}
	k, below := 0, 0.0
	for sum := n * (n + 1) / 2; ; sum++ { // the least rank sum is that of U = 0
		if below += ways[sum]; below/all > tail {
			return k
		}
		k++
	}
}
