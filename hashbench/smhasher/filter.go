package smhasher

import (
	"math"
	"slices"
)

// filterOutliers is SMHasher's FilterOutliers. By a binary search over the sorted times it finds
// the longest prefix whose greatest value is within three standard deviations of its mean.
func filterOutliers(times []float64) []float64 {
	sorted := slices.Sorted(slices.Values(times))
	length := 0
	for bit := 0x40000000; bit > 0; bit >>= 1 {
		if length|bit < len(sorted) && !endsInOutlier(sorted[:length|bit]) {
			length |= bit
		}
	}
	return sorted[:length]
}

func endsInOutlier(sorted []float64) bool {
	m, squares := mean(sorted), 0.0
	for _, x := range sorted {
		squares += (x - m) * (x - m)
	}
	return sorted[len(sorted)-1] > m+3*math.Sqrt(squares/float64(len(sorted)))
}

func mean(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return sum / float64(len(list))
}
