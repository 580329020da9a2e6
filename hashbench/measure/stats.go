package measure

import (
	"math"
	"slices"

	"dpukv/hashbench/report"
)

// confidence is that of the intervals.
const confidence = 0.95

// median is the median of at least one value with its confidence interval, from the order of the
// values alone: nothing is assumed about how they are distributed. The interval reaches from one value to
// another so that the true median lies outside with a probability of at most 5 %; with less than six
// values it is their whole range, which then promises less.
func median(values []float64) report.Interval {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	rank := lowerRank(n)
	return report.Interval{
		Median: (sorted[(n-1)/2] + sorted[n/2]) / 2,
		Low:    sorted[rank],
		High:   sorted[n-1-rank],
	}
}

// lowerRank is the greatest rank (from 0) of n values that is above the median of their distribution with
// a probability of at most 2.5 %, which is that of at most rank heads in n throws of a coin.
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
