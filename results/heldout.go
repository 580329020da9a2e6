package results

import (
	"cmp"
	"slices"
)

// HeldOutPeak is the peak, with repeats that did not choose it: each repeat counts at the mark that
// is the peak without it. The greatest of several medians is too great, by the luck of its repeats,
// in which a repeat held out has no part. A single repeat, and repeats of several runs, which have
// the same numbers, count at the peak of all.
func (l *Line) HeldOutPeak() *Mark {
	peak := l.Peak()
	held := Mark{AxisValue: peak.AxisValue}
	ranked := rankMarks(l.Marks)
	numbers := map[int]bool{}
	for _, p := range peak.Repeats {
		at := ranked.without(p.Repeat)
		if at == nil || numbers[p.Repeat] || at.first[p.Repeat] == nil {
			return peak
		}
		numbers[p.Repeat] = true
		held.Repeats = append(held.Repeats, at.first[p.Repeat])
	}
	return &held
}

// rankedMark is a mark whose median without a repeat takes no sorting.
type rankedMark struct {
	index        int // in the line
	median       float64
	byThroughput []*Point
	places       map[int][]int  // in byThroughput, of the points with a number, ascending
	first        map[int]*Point // with a number
}

// rankedMarks are the marks of a line. A repeat out, only the marks that have it change.
type rankedMarks struct {
	all []*rankedMark // by rankedMark.compare
	of  map[int][]*rankedMark
}

func rankMarks(marks []Mark) *rankedMarks {
	r := &rankedMarks{of: map[int][]*rankedMark{}}
	for i := range marks {
		m := &rankedMark{
			index: i, byThroughput: slices.Clone(marks[i].Repeats), places: map[int][]int{},
			first: map[int]*Point{},
		}
		for _, p := range slices.Backward(m.byThroughput) {
			m.first[p.Repeat] = p
		}
		slices.SortStableFunc(m.byThroughput, func(a, b *Point) int {
			return cmp.Compare(a.ThroughputOps, b.ThroughputOps)
		})
		for place, p := range m.byThroughput {
			if m.places[p.Repeat] == nil {
				r.of[p.Repeat] = append(r.of[p.Repeat], m)
			}
			m.places[p.Repeat] = append(m.places[p.Repeat], place)
		}
		m.median, _ = m.without(nil)
		r.all = append(r.all, m)
	}
	slices.SortFunc(r.all, func(a, b *rankedMark) int {
		return cmp.Or(cmp.Compare(b.median, a.median), cmp.Compare(a.index, b.index))
	})
	return r
}

// without is the peak of the line without the points with a number, or nil if there are no others.
func (r *rankedMarks) without(repeat int) (best *rankedMark) {
	most := 0.0
	consider := func(m *rankedMark, median float64) {
		if best == nil || median > most || median == most && m.index < best.index {
			best, most = m, median
		}
	}
	for _, m := range r.all { // the first without the number is the best of those
		if m.places[repeat] == nil {
			consider(m, m.median)
			break
		}
	}
	for _, m := range r.of[repeat] {
		if median, some := m.without(m.places[repeat]); some {
			consider(m, median)
		}
	}
	return best
}

// without is the median throughput without the points at these places, if there are others.
func (m *rankedMark) without(places []int) (median float64, some bool) {
	n := len(m.byThroughput) - len(places)
	if n == 0 {
		return 0, false
	}
	at := func(rank int) float64 {
		for _, place := range places {
			if place <= rank {
				rank++
			}
		}
		return m.byThroughput[rank].ThroughputOps
	}
	return (at((n-1)/2) + at(n/2)) / 2, true
}
