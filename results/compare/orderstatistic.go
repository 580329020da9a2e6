package compare

import (
	"math"
	"slices"

	"dpukv/internal/sample"
)

// grid are the values of all pairs of two lists. It counts them without making them: two lists of
// 50,000 values have 2.5 billion pairs.
type grid struct {
	size        int // pairs
	least, most float64
	atMost      func(limit float64) int // how many values do not exceed the limit
}

// ratios are those of each of a over each of b, which are positive.
func ratios(a, b []float64) grid {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return grid{
		size: len(a) * len(b), least: a[0] / b[len(b)-1], most: a[len(a)-1] / b[0],
		atMost: func(limit float64) (n int) {
			from := 0 // of b: the first whose ratio does not exceed the limit
			for _, x := range a {
				for from < len(b) && x/b[from] > limit {
					from++
				}
				n += len(b) - from
			}
			return n
		},
	}
}

// means are those of all pairs of a list, and of each value with itself.
func means(values []float64) grid {
	v := slices.Sorted(slices.Values(values))
	return grid{
		size: len(v) * (len(v) + 1) / 2, least: v[0], most: v[len(v)-1],
		atMost: func(limit float64) (n int) {
			end := len(v) // behind the last whose mean with x does not exceed the limit
			for i, x := range v {
				for end > i && (x+v[end-1])/2 > limit {
					end--
				}
				n += max(0, end-i)
			}
			return n
		},
	}
}

// at is the value of a rank, counted from 0: the least float that more than rank values do not
// exceed. It takes at most 64 counts, since each halves the floats that are left.
func (g *grid) at(rank int) float64 {
	low, high := place(g.least), place(g.most)
	for low < high {
		if middle := low + (high-low)/2; g.atMost(float(middle)) > rank {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return float(low)
}

// interval is the median of the values, and the kth from either end. Without a k, it is the range.
func (g *grid) interval(k int) sample.Interval {
	at := max(0, k-1)
	return sample.Interval{
		Estimate: (g.at((g.size-1)/2) + g.at(g.size/2)) / 2,
		Low:      g.at(at), High: g.at(g.size - 1 - at), Range: k == 0,
	}
}

const sign = 1 << 63 // bit of a float

// place numbers the floats in their order.
func place(x float64) uint64 {
	bits := math.Float64bits(x)
	if bits&sign != 0 {
		return ^bits
	}
	return bits | sign
}

// float has the place.
func float(place uint64) float64 {
	if place&sign != 0 {
		return math.Float64frombits(place &^ sign)
	}
	return math.Float64frombits(^place)
}
