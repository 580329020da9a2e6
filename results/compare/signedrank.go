package compare

import (
	"math"
	"slices"

	"dpukv/results"
)

// Pairs are values of two sides. The values of one index have the state of the machines in common.
type Pairs struct{ A, B []float64 } // positive, and as many of each

// logs are the logarithms of A over B. Equal values tell nothing, and are left out.
func (p Pairs) logs() (list []float64) {
	for i := range p.A {
		if p.A[i] != p.B[i] {
			list = append(list, math.Log(p.A[i]/p.B[i]))
		}
	}
	return list
}

// SignedRank is the exact two-sided p of Wilcoxon's test of pairs. With several cases it is that of
// their sum: each case has its own ranks, so that no case outweighs another by its noise.
func SignedRank(cases ...Pairs) float64 {
	var ranks []int
	above := 0
	for _, c := range cases {
		logs := c.logs()
		sizes := make([]float64, len(logs))
		for i, d := range logs {
			sizes[i] = math.Abs(d)
		}
		for i, rank := range doubledRanks(sizes) {
			ranks = append(ranks, rank)
			if logs[i] > 0 {
				above += rank
			}
		}
	}
	share := sharesOfSum(ranks)
	least, most := 0.0, 0.0
	for sum, s := range share {
		if sum <= above {
			least += s
		}
		if sum >= above {
			most += s
		}
	}
	return math.Min(1, 2*math.Min(least, most))
}

// sharesOfSum are, for each sum, the share of all ways to give signs to the ranks in which the
// positive ones have that sum.
func sharesOfSum(ranks []int) []float64 {
	total := 0
	for _, r := range ranks {
		total += r
	}
	share := make([]float64, total+1)
	share[0] = 1
	for _, r := range ranks {
		for sum := total; sum >= 0; sum-- {
			share[sum] /= 2
			if sum >= r {
				share[sum] += share[sum-r] / 2
			}
		}
	}
	return share
}

// Ratio estimates A over B: the median of the ratios' mean over all pairs of pairs, after Hodges
// and Lehmann. The interval is that of [SignedRank]. It takes six pairs.
func (p Pairs) Ratio() Interval {
	logs := make([]float64, len(p.A))
	for i := range logs {
		logs[i] = math.Log(p.A[i] / p.B[i])
	}
	var means []float64
	for i, x := range logs {
		for _, y := range logs[i:] {
			means = append(means, (x+y)/2)
		}
	}
	ranks := make([]int, len(logs))
	for i := range ranks {
		ranks[i] = i + 1
	}
	k, below := 0, 0.0
	for _, s := range sharesOfSum(ranks) {
		if below += s; below > (1-results.Confidence)/2 {
			break
		}
		k++
	}
	r := interval(means, k)
	return Interval{math.Exp(r.Estimate), math.Exp(r.Low), math.Exp(r.High), r.Range}
}

// FarApart reports whether the least of three or more values is at least twice the greatest of
// three or more others. Of equal lines that are disturbed in one of ten repeats, one in a thousand
// is.
func FarApart(a, b []float64) bool {
	const least, factor = 3, 2
	return min(len(a), len(b)) >= least && slices.Min(a) >= factor*slices.Max(b)
}
