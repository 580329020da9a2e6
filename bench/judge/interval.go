package main

import (
	"math"

	"dpukv/internal/sample"
)

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
	m := sample.Center(values)
	return interval{m.Estimate, m.Low, m.High, len(values)}
}

// farthest is how far from 1 the interval reaches.
func (i *interval) farthest() float64 { return max(math.Abs(i.Lo-1), math.Abs(i.Hi-1)) }
