package results

import (
	"fmt"
	"strings"
	"time"
)

// Knee is the last mark of a line before latency grows faster than throughput, and false if the line
// has none: with a single mark, or when it is still bending at its end. It is the mark of the
// greatest power, throughput over latency (Kleinrock, "Power and deterministic rules of thumb for probabilistic problems in
// computer communications", ICC 1979): where power is greatest, one per cent of throughput costs one per cent of latency.
// The medians of the repeats are taken.
func (l *Line) Knee(m Measure) (*Mark, bool) {
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

// Peak is the mark of the highest median throughput.
func (l *Line) Peak() *Mark {
	return l.highest(func(*Mark) bool { return true })
}

// Within is the mark of the highest median throughput at which the median latency keeps the
// bound, nil if none does. Nothing is interpolated: it was measured.
func (l *Line) Within(b Bound) *Mark {
	return l.highest(func(m *Mark) bool { return m.Latency(b.Measure).Median <= b.Ns })
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

// Bound is a service level: a measure of latency that is not to be exceeded.
type Bound struct {
	Measure Measure
	Ns      float64
}

// String is "p99 latency ≤ 200µs".
func (b Bound) String() string {
	return fmt.Sprintf("%s ≤ %v", b.Measure.Title, time.Duration(b.Ns))
}

// ParseBound reads a bound such as "p99=200us".
func ParseBound(text string) (Bound, error) {
	name, limit, found := strings.Cut(text, "=")
	if !found {
		return Bound{}, fmt.Errorf("found the bound %q, want MEASURE=TIME such as p99=200us", text)
	}
	m, err := parseMeasure(strings.TrimSpace(name))
	if err != nil {
		return Bound{}, err
	}
	d, err := time.ParseDuration(strings.TrimSpace(limit))
	if err != nil || d <= 0 {
		return Bound{}, fmt.Errorf("found the time %q in the bound %q, want one above zero such as 200us or 1.5ms", limit, text)
	}
	return Bound{m, float64(d)}, nil
}
