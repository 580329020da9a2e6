package measure

import (
	"math"
	"slices"

	"dpukv/hashbench/result"
)

// confidence is the level of the intervals.
const confidence = 0.95

// median is the median of at least one value with its confidence interval. It uses only the order
// of the values, and assumes nothing about their distribution. The true median lies outside the
// interval with a probability of at most 5 %. With fewer than six values the interval is their
// whole range, and its confidence is lower.
func median(values []float64) result.Interval {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	rank := lowerRank(n)
	return result.Interval{
		Median: (sorted[(n-1)/2] + sorted[n/2]) / 2,
		Low:    sorted[rank],
		High:   sorted[n-1-rank],
	}
}

// lowerRank is the greatest rank (from 0) of n values that is above the median of their
// distribution with a probability of at most 2.5 %. That is the probability of at most rank heads
// in n coin tosses.
func lowerRank(n int) int {
	logHalf := float64(n) * math.Ln2
	below, rank := 0.0, 0
	for k := range n {
		below += math.Exp(logChoose(n, k) - logHalf)
		if below > (1-confidence)/2 {
			break
		}
		rank = k
	}
	return rank
}

func logChoose(n, k int) float64 {
	lgamma := func(x int) float64 {
		l, _ := math.Lgamma(float64(x + 1))
		return l
	}
	return lgamma(n) - lgamma(k) - lgamma(n-k)
}
