package compare

import (
	"cmp"
	"math"
	"slices"
)

// exactMost is the largest total size of both samples for an exact p, which takes some 10 ms. Above
// it the normal approximation is good.
const exactMost = 50

// UTest is the two-sided p of the Mann–Whitney U test: exact for up to exactMost values, with ties,
// too.
func UTest(a, b []float64) float64 {
	if len(a)+len(b) > exactMost {
		return approximateP(a, b)
	}
	return exactP(a, b)
}

// approximateP is the p by the normal distribution, corrected for ties.
func approximateP(a, b []float64) float64 {
	ranks := doubledRanks(slices.Concat(a, b))
	sum, squares, own := 0.0, 0.0, 0.0
	for i, r := range ranks {
		sum += float64(r)
		if i < len(a) {
			own += float64(r)
		}
	}
	n, m := float64(len(a)), float64(len(b))
	mean := sum / (n + m)
	for _, r := range ranks {
		squares += (float64(r) - mean) * (float64(r) - mean)
	}
	// The sum of n ranks of n + m that are drawn without putting back.
	variance := n * m / (n + m) * squares / (n + m - 1)
	return normalP(own-n*mean, math.Sqrt(variance))
}

// normalP is the two-sided p of a sum of doubled ranks that is so far from its mean. Such sums have
// steps of two, so the correction for continuity is one. The p is above 0, however far that is.
func normalP(excess, deviation float64) float64 {
	if deviation == 0 {
		return 1 // all values are equal
	}
	z := max(0, math.Abs(excess)-1) / deviation
	return max(math.Erfc(z/math.Sqrt2), math.SmallestNonzeroFloat64)
}

// exactP is twice the smaller tail. A tail is a share of all ways to take len(a) of the values. One
// tail has the ways with at most the rank sum of a, the other those with at least that sum.
func exactP(a, b []float64) float64 {
	ranks := doubledRanks(slices.Concat(a, b))
	ways := waysToSum(ranks, len(a))
	own := 0
	for _, r := range ranks[:len(a)] {
		own += r
	}
	below, above, all := 0.0, 0.0, 0.0
	for sum, n := range ways {
		all += n
		if sum <= own {
			below += n
		}
		if sum >= own {
			above += n
		}
	}
	return math.Min(1, 2*math.Min(below, above)/all)
}

// doubledRanks are twice the values' ranks. Ties share the mean of their ranks, which may end in a
// half.
func doubledRanks(values []float64) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	ranks := make([]int, len(values))
	for first := 0; first < len(order); {
		end := first
		for end < len(order) && values[order[end]] == values[order[first]] {
			end++
		}
		for _, i := range order[first:end] {
			ranks[i] = first + 1 + end
		}
		first = end
	}
	return ranks
}

// waysToSum counts, for each sum, the ways in which n of the ranks have that sum. No count exceeds
// 50 over 25, which a float64 holds exactly.
func waysToSum(ranks []int, n int) []float64 {
	total := 0
	for _, r := range ranks {
		total += r
	}
	ways := make([][]float64, n+1) // of the ranks so far: how many were taken, and their sum
	for k := range ways {
		ways[k] = make([]float64, total+1)
	}
	ways[0][0] = 1
	for i, r := range ranks {
		for k := min(i+1, n); k > 0; k-- {
			for sum := r; sum <= total; sum++ {
				ways[k][sum] += ways[k-1][sum-r]
			}
		}
	}
	return ways[n]
}
