package results

import (
	"math"
	"slices"
)

// Within is the answer to the question how much a line does within a bound.
type Within struct {
	// Mark has the highest median throughput of the marks before the bound is broken for the first
	// time, in the order of the axis. It is nil if the first mark breaks the bound.
	Mark *Mark
	// Later has the highest median throughput of the marks beyond a broken bound that keep it
	// again. It is nil unless it has more throughput than Mark.
	Later *Mark
}

// Within returns the most that the line does with the median latency within the bound. A load
// within the bound counts only if every lower load keeps the bound too. Within interpolates
// nothing: the marks were measured. A mark whose latency is only a lower bound keeps no bound.
func (l *Line) Within(b Bound) Within {
	keeps := func(m *Mark) bool {
		latency := m.Of(b.Metric).Median
		return latency > 0 && latency <= b.Ns && // 0 is not measured
			!slices.ContainsFunc(m.Repeats, b.Metric.LowerBound)
	}
	first := 0
	for first < len(l.Marks) && keeps(&l.Marks[first]) {
		first++
	}
	w := Within{Mark: highest(l.Marks[:first])}
	most := math.Inf(-1)
	if w.Mark != nil {
		most = w.Mark.Throughput().Median
	}
	for i := first; i < len(l.Marks); i++ {
		m := &l.Marks[i]
		if median := m.Throughput().Median; median > most && keeps(m) {
			w.Later, most = m, median
		}
	}
	return w
}

// NotShown counts the repeats that are not shown to keep a bound: their percentile has no high end,
// so a longer period might break it.
func (m *Mark) NotShown(b Bound) (repeats int) {
	return Count(m.Repeats, b.Metric.NoHighEnd)
}

// Validity returns the warnings of a mark's repeats that are of [ValidityKinds], each once.
func (m *Mark) Validity() (list Warnings) {
	kinds, seen := ValidityKinds(), map[Warning]bool{}
	for _, p := range m.Repeats {
		for _, w := range p.Warnings {
			if slices.Contains(kinds, w.Kind) && !seen[w] {
				seen[w], list = true, append(list, w)
			}
		}
	}
	return list
}
