package compare

import (
	"math"
	"slices"

	"dpukv/internal/sample"
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

// exactPairs is the largest number of pairs for an exact p, which takes some milliseconds. Above it
// the normal approximation is good.
const exactPairs = 100

// SignedRank is the two-sided p of Wilcoxon's test of pairs, exact for up to exactPairs. With
// several cases it is that of their sum: each case has its own ranks, so that no case outweighs
// another by its noise.
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
	if len(ranks) > exactPairs {
		return approximateSignedRank(ranks, above)
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

// approximateSignedRank is the p by the normal distribution: each rank counts with a probability of
// one half, so the sum has half of all ranks in the mean, and a quarter of their squares as its
// variance.
func approximateSignedRank(ranks []int, above int) float64 {
	sum, squares := 0.0, 0.0
	for _, r := range ranks {
		sum += float64(r)
		squares += float64(r) * float64(r)
	}
	return normalP(float64(above)-sum/2, math.Sqrt(squares)/2)
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
func (p Pairs) Ratio() sample.Interval {
	logs := make([]float64, len(p.A))
	for i := range logs {
		logs[i] = math.Log(p.A[i] / p.B[i])
	}
	pairs := means(logs)
	r := pairs.interval(outsidePairs(len(logs)))
	r.Estimate, r.Low, r.High = math.Exp(r.Estimate), math.Exp(r.Low), math.Exp(r.High)
	return r
}

// outsidePairs is the greatest k for which the kth mean from either end is an end of the interval,
// as [outside] is for ratios.
func outsidePairs(n int) int {
	if n > exactPairs {
		n := float64(n)
		deviation := math.Sqrt(n * (n + 1) * (2*n + 1) / 24)
		return max(0, int(n*(n+1)/4-tailQuantile*deviation))
	}
	ranks := make([]int, n)
	for i := range ranks {
		ranks[i] = i + 1
	}
	k, below := 0, 0.0
	for _, s := range sharesOfSum(ranks) {
		if below += s; below > tail {
			break
		}
		k++
	}
	return k
}

// FarApart reports whether the least of three or more values is at least twice the greatest of
// three or more others. Of equal lines that are disturbed in one of ten repeats, one in a thousand
// is.
func FarApart(a, b []float64) bool {
	const least, factor = 3, 2
	return min(len(a), len(b)) >= least && slices.Min(a) >= factor*slices.Max(b)
}
