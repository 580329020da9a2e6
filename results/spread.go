package results

import (
	"slices"

	"dpukv/internal/sample"
)

// Spread is the median and the range of the repeats of one measurement.
type Spread struct {
	Min, Median, Max float64
}

// Per returns the spread in a larger unit, which is worth this many of the smaller ones.
func (s Spread) Per(unit float64) Spread {
	return Spread{s.Min / unit, s.Median / unit, s.Max / unit}
}

// HalfRange is half the distance from the least value to the greatest.
func (s Spread) HalfRange() float64 { return (s.Max - s.Min) / 2 }

// overlaps reports whether the ranges have a value in common.
func (s Spread) overlaps(o Spread) bool { return s.Min <= o.Max && o.Min <= s.Max }

// SpreadBy returns the spread of a figure over one or more repeats.
func SpreadBy(repeats []*Point, figure func(*Point) float64) Spread {
	values := Values(repeats, figure)
	return Spread{slices.Min(values), sample.Median(values), slices.Max(values)}
}

// Values are those of a figure, a point each.
func Values(points []*Point, figure func(*Point) float64) []float64 {
	values := make([]float64, len(points))
	for i, p := range points {
		values[i] = figure(p)
	}
	return values
}

// Confidence is the level of every interval in results.
const Confidence = sample.Confidence

// DefaultRepeats is the number of repeats of a sweep that does not say how many. It is the least
// with an interval of the median at [Confidence]: all n values lie on one side of the true median
// with the probability 2/2^n. A Mann–Whitney U test of two such samples reaches 0.0022, which is
// enough for a verdict on 23 figures at 0.05.
const DefaultRepeats = 6
