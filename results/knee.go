package results

// Knee is the place on a line beyond which latency grows faster than throughput. Its fields are
// indices of the line's marks.
type Knee struct {
	At int // the mark of the greatest power
	// First and Last end the marks whose repeats cannot be told from those of the knee.
	First, Last int
}

// Has reports whether the mark with this index may be the knee.
func (k Knee) Has(i int) bool { return k.First <= i && i <= k.Last }

// Knee returns the last mark of a line before latency grows faster than throughput. It returns
// false for a line without a knee.
//
// The knee is the mark of the greatest power, which is throughput over latency. At the knee, one
// per cent of throughput costs one per cent of latency. See Kleinrock, "Power and deterministic
// rules of thumb for probabilistic problems in computer communications", ICC 1979. Throughput and
// latency are the medians of the repeats.
//
// A mark next to the knee may be the knee too, if the ranges of their repeats' power overlap. A
// knee needs a mark of less power on either side. At an end of the line, the greatest power is only
// the greatest of those measured.
func (l *Line) Knee(m *Metric) (Knee, bool) {
	best, k := 0.0, Knee{At: -1}
	for i := range l.Marks {
		latency := l.Marks[i].Of(m)
		if latency.Min <= 0 { // not measured
			return Knee{}, false
		}
		if power := l.Marks[i].Throughput().Median / latency.Median; power > best {
			best, k = power, Knee{i, i, i}
		}
	}
	if k.At < 0 {
		return Knee{}, false
	}
	l.widen(&k, m)
	if k.First == 0 || k.Last == len(l.Marks)-1 {
		return Knee{}, false
	}
	return k, true
}

// widen moves the ends of the knee outwards, as far as repeats overlap.
func (l *Line) widen(k *Knee, m *Metric) {
	power := func(p *Point) float64 { return p.ThroughputOps / m.Of(p) }
	at := SpreadBy(l.Marks[k.At].Repeats, power)
	for k.First > 0 && SpreadBy(l.Marks[k.First-1].Repeats, power).overlaps(at) {
		k.First--
	}
	for k.Last < len(l.Marks)-1 && SpreadBy(l.Marks[k.Last+1].Repeats, power).overlaps(at) {
		k.Last++
	}
}

// Peak returns the mark of the highest median throughput.
func (l *Line) Peak() *Mark { return highest(l.Marks) }

// highest returns the mark of the highest median throughput, or nil if there are no marks.
func highest(marks []Mark) *Mark {
	var best *Mark
	most := 0.0
	for i := range marks {
		if median := marks[i].Throughput().Median; best == nil || median > most {
			best, most = &marks[i], median
		}
	}
	return best
}
