package results

import (
	"fmt"
	"strings"
	"time"

	"dpukv/internal/numfmt"
)

// Bound is a service level: an upper bound on a latency metric.
type Bound struct {
	Metric *Metric
	Ns     float64
}

// String is "p99 latency ≤ 200 µs".
func (b Bound) String() string {
	return fmt.Sprintf("%s ≤ %s", b.Metric.Title, numfmt.Duration(time.Duration(b.Ns)))
}

// Text is what [ParseBound] reads: "p99=200µs".
func (b Bound) Text() string { return b.Metric.Short + "=" + time.Duration(b.Ns).String() }

// ParseBound reads a bound such as "p99=200us".
func ParseBound(text string) (Bound, error) {
	name, limit, found := strings.Cut(text, "=")
	if !found {
		return Bound{}, fmt.Errorf("bound: found %q, allowed: METRIC=TIME, such as "+
			"p99=200us", text)
	}
	m, err := parseLatencyMetric(strings.TrimSpace(name))
	if err != nil {
		return Bound{}, err
	}
	d, err := time.ParseDuration(strings.TrimSpace(limit))
	if err != nil || d <= 0 {
		return Bound{}, fmt.Errorf(
			"bound: found the time %q in %q, allowed: more than zero, such as 200us or "+
				"1.5ms", limit,
			text)
	}
	return Bound{m, float64(d)}, nil
}

// BeyondCapacity reports whether a point failed only because its rate is far beyond what the server
// takes: the server was busy with a backlog for the whole measurement period.
func (p *Point) BeyondCapacity() bool {
	return p.Status == StatusFailed && p.Warnings.Has(Backlogged)
}
