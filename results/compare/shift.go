package compare

import (
	"math"
	"slices"

	"dpukv/results"
)

// change estimates the relative change from a to b, after Hodges and Lehmann: the median of b/a
// over all pairs of values, which are positive. The test compares the same pairs with 1, so the
// estimate fits its verdict; the ratio of the medians may not. The interval is at
// [results.Confidence]. It is nil if the samples are too small for one.
func change(a, b []float64) (estimate float64, lo, hi *float64) {
	var ratios []float64
	for _, x := range a {
		for _, y := range b {
			ratios = append(ratios, y/x-1)
		}
	}
	slices.Sort(ratios)
	n := len(ratios)
	estimate = (ratios[(n-1)/2] + ratios[n/2]) / 2
	if k := outside(len(a), len(b)); k > 0 {
		lo, hi = &ratios[k-1], &ratios[n-k]
	}
	return estimate, lo, hi
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
