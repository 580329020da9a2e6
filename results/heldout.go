package results

// HeldOutPeak is the peak, with repeats that did not choose it: each repeat counts at the mark that
// is the peak without it. The greatest of several medians is too great, by the luck of its repeats,
// in which a repeat held out has no part. A single repeat, and repeats of several runs, which have
// the same numbers, count at the peak of all.
func (l *Line) HeldOutPeak() *Mark {
	peak := l.Peak()
	held := Mark{AxisValue: peak.AxisValue}
	numbers := map[int]bool{}
	for _, p := range peak.Repeats {
		out := l.point(l.without(p.Repeat).Peak(), p.Repeat)
		if out == nil || numbers[p.Repeat] {
			return peak
		}
		numbers[p.Repeat] = true
		held.Repeats = append(held.Repeats, out)
	}
	return &held
}

// without is the line without one repeat.
func (l *Line) without(repeat int) *Line {
	rest := *l
	rest.Marks = nil
	for _, m := range l.Marks {
		kept := Mark{AxisValue: m.AxisValue}
		for _, p := range m.Repeats {
			if p.Repeat != repeat {
				kept.Repeats = append(kept.Repeats, p)
			}
		}
		if len(kept.Repeats) > 0 {
			rest.Marks = append(rest.Marks, kept)
		}
	}
	return &rest
}

// point is the repeat of the line at the place of a mark, or nil.
func (l *Line) point(at *Mark, repeat int) *Point {
	if at == nil {
		return nil
	}
	for _, m := range l.Marks {
		if m.AxisValue != at.AxisValue {
			continue
		}
		for _, p := range m.Repeats {
			if p.Repeat == repeat {
				return p
			}
		}
	}
	return nil
}
