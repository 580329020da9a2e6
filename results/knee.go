package results

// Knee returns the last mark of a line before latency grows faster than throughput. It returns
// false for a line without a knee: one with a single mark, or one that still bends at its end.
//
// The knee is the mark of the greatest power, which is throughput over latency. At the knee, one
// per cent of throughput costs one per cent of latency. See Kleinrock, "Power and deterministic
// rules of thumb for probabilistic problems in computer communications", ICC 1979. Throughput and
// latency are the medians of the repeats.
func (l *Line) Knee(m LatencyMetric) (*Mark, bool) {
	best, at := 0.0, -1
	for i := range l.Marks {
		latency := l.Marks[i].Latency(m).Median
		if latency <= 0 {
			return nil, false
		}
		if power := l.Marks[i].Throughput().Median / latency; power > best {
			best, at = power, i
		}
	}
	if at < 0 || at == len(l.Marks)-1 {
		return nil, false
	}
	return &l.Marks[at], true
}

// Peak returns the mark of the highest median throughput.
func (l *Line) Peak() *Mark {
	return l.highest(func(*Mark) bool { return true })
}

// Within returns the mark of the highest median throughput whose median latency keeps the bound, or
// nil if there is none. It interpolates nothing: the mark was measured.
func (l *Line) Within(b Bound) *Mark {
	return l.highest(func(m *Mark) bool { return m.Latency(b.Metric).Median <= b.Ns })
}

func (l *Line) highest(counts func(*Mark) bool) *Mark {
	var best *Mark
	for i := range l.Marks {
		m := &l.Marks[i]
		if counts(m) && (best == nil || m.Throughput().Median > best.Throughput().Median) {
			best = m
		}
	}
	return best
}
