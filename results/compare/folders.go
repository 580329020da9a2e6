package compare

import (
	"slices"

	"dpukv/internal/sample"
	"dpukv/results"
)

// Unit is what one value of a sample is.
type Unit string

// The units.
const (
	OfRepeats Unit = "repeats" // a value each
	// OfFolders: the repeats of one folder share a state, so their median is one value.
	OfFolders Unit = "folders"
	// OfRounds: a repeat of either side is a pair with that of the other in the same round.
	OfRounds Unit = "rounds"
)

// unit is that of two sides. Where either has several folders, repeats of one folder are not
// independent of each other beside those of another.
func unit(a, b Side) Unit {
	if max(a.Folders, b.Folders) > 1 {
		return OfFolders
	}
	return OfRepeats
}

// values returns the values of points in a metric.
func (u Unit) values(points []*results.Point, m *results.Metric) (list []float64) {
	if u != OfFolders {
		return results.Values(points, m.OfBench)
	}
	of := map[int][]float64{}
	for _, p := range points {
		of[p.Source] = append(of[p.Source], m.OfBench(p))
	}
	for _, repeats := range of { // in any order: no test looks at it
		list = append(list, medianOf(repeats))
	}
	return list
}

// medianOf is 0 if the figure is missing in any of the repeats.
func medianOf(repeats []float64) float64 {
	if slices.Contains(repeats, 0) {
		return 0
	}
	return sample.Median(repeats)
}
