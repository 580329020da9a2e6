package compare

import (
	"math"
	"slices"

	"dpukv/results"
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
	var ratios []float64
	for _, x := range a {
		for _, y := range b {
			ratios = append(ratios, x/y)
		}
	}
	return interval(ratios, outside(len(a), len(b)))
}

// Center estimates the median of at least one value. The interval is that of the sign test.
func Center(values []float64) Interval {
	beyond, tail := 0, math.Exp2(-float64(len(values)))
	for ways := tail; tail <= (1-results.Confidence)/2; beyond++ {
		ways *= float64(len(values)-beyond) / float64(beyond+1)
		tail += ways
	}
	return interval(slices.Clone(values), beyond)
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
	const tail = (1 - results.Confidence) / 2
	if n+m > exactMost {
		pairs := float64(n) * float64(m)
		deviation := math.Sqrt(pairs * float64(n+m+1) / 12)
		const quantile = 1.959964 // of the normal distribution, at tail
		return max(0, int(pairs/2-quantile*deviation))
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
