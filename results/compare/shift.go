package compare

import (
	"math"

	"dpukv/internal/sample"
	"dpukv/results"
)

const (
	tail         = (1 - results.Confidence) / 2 // on either side of an interval
	tailQuantile = 1.959964                     // of the normal distribution, at tail
)

// Ratio estimates a over b, after Hodges and Lehmann: the median of their ratio over all pairs of
// values, which are positive. The test compares the same pairs with 1, so the estimate fits its
// verdict; the ratio of the medians may not.
func Ratio(a, b []float64) sample.Interval {
	pairs := ratios(a, b)
	return pairs.interval(outside(len(a), len(b)))
}

// change is how far a ratio is from 1. Its ends are nil if the samples are too small for an
// interval.
func change(r sample.Interval) (estimate float64, lo, hi *float64) {
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
