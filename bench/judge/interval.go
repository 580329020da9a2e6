package main

import (
	"math"
	"slices"
)

// confidence of an interval.
const confidence = .95

// interval is a median with the bounds of a sign test.
type interval struct {
	Median float64 `json:"median"`
	Lo     float64 `json:"lo"`
	Hi     float64 `json:"hi"`
	Pairs  int     `json:"pairs"`
}

// fewest is how many pairs an interval needs: with fewer, not even the whole range has 95 %.
const fewest = 6

// intervalOf needs at least [fewest] values.
func intervalOf(values []float64) interval {
	x := slices.Sorted(slices.Values(values))
	n := len(x)
	k := outer(n)
	return interval{(x[(n-1)/2] + x[n/2]) / 2, x[k], x[n-1-k], n}
}

// outer is how many values the interval leaves out at each end: as many as the median would leave
// there in less than 2.5 % of samples.
func outer(n int) int {
	atMost := 0.0
	for k := 0; ; k++ {
		atMost += math.Exp(logChoose(n, k) - float64(n)*math.Ln2)
		if atMost > (1-confidence)/2 {
			return max(k-1, 0)
		}
	}
}

func logChoose(n, k int) float64 {
	lg := func(x int) float64 {
		v, _ := math.Lgamma(float64(x + 1))
		return v
	}
	return lg(n) - lg(k) - lg(n-k)
}

// farthest is how far from 1 the interval reaches.
func (i *interval) farthest() float64 { return max(math.Abs(i.Lo-1), math.Abs(i.Hi-1)) }
