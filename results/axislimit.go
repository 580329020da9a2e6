package results

import (
	"math"
	"slices"
)

// The rule of [AxisLimit].
const (
	axisLeastValues = 8  // fewer values have no bulk
	axisBulkShare   = 10 // one in ten values may be an outlier, at least one
	axisTimes       = 4  // an outlier exceeds this multiple of the bulk
)

// AxisLimit returns the greatest value that an axis from zero has to show, and the number of values
// above it. A few outliers then cannot flatten the rest.
//
// The bulk is all values but the greatest tenth, rounded down, at least one. A value is an outlier
// if it exceeds four times the greatest value of the bulk: with it, the bulk would fill less than
// the lowest quarter of the axis. The limit is the greatest value that is no outlier. Fewer than
// eight values, or a bulk of zeros, have no outliers. NaN and infinite values don't count.
func AxisLimit(values []float64) (limit float64, clipped int) {
	sorted := slices.DeleteFunc(slices.Clone(values), func(v float64) bool {
		return math.IsNaN(v) || math.IsInf(v, 0)
	})
	slices.Sort(sorted)
	n := len(sorted)
	if n == 0 {
		return 0, 0
	}
	if n < axisLeastValues {
		return sorted[n-1], 0
	}
	bulk := sorted[n-1-max(1, n/axisBulkShare)]
	for bulk > 0 && sorted[n-1-clipped] > axisTimes*bulk {
		clipped++
	}
	return sorted[n-1-clipped], clipped
}
