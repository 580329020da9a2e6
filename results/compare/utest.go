package compare

import (
	"cmp"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// exactMost is the largest total size of both samples for an exact p, which takes some 10 ms. Above
// it the normal approximation is good.
const exactMost = 50

// UTest is the two-sided p of the Mann–Whitney U test.
//
// Benchmath assumes a symmetric distribution of U. With ties and samples of different sizes the
// distribution is asymmetric, and benchmath's p can be anything from 0 to above 1. Ties are common
// among latencies, because histograms round them. So benchmath computes p only above exactMost
// values.
func UTest(a, b []float64) float64 {
	if len(a)+len(b) > exactMost {
		t := benchmath.DefaultThresholds
		return benchmath.AssumeNothing.Compare(benchmath.NewSample(slices.Clone(a), &t),
			benchmath.NewSample(slices.Clone(b), &t)).P
	}
	return exactP(a, b)
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
