package results

import (
	"fmt"
	"slices"
	"strings"

	"dpukv/internal/numfmt"
	"dpukv/internal/spelling"
)

// Metric is one figure of a point. Tables, comparisons, thresholds, figures, exports, gauges and
// claims take all that they say of it from its row in [Metrics].
type Metric struct {
	Name   string // as in the point's JSON; "actual_" before it: from the actual send
	Short  string // names files, columns and flags: "p999", "server_cpu"
	Title  string // "p99.9 latency"
	Unit   *Unit  // of the values of Of
	Higher bool   // is better
	Of     func(*Point) float64
	// Has reports whether a point has the figure. If it is nil, those have it that are not 0.
	Has func(*Point) bool

	Compared bool    // by the ratio of two runs, which needs values above 0
	Limited  bool    // by thresholds
	Bench    string  // its unit in Go's benchmark format, which makes it a gauge, too; "": neither
	Column   *Column // of the terminal's table; nil: it has none
	Reported bool    // as a column of the report's page, beside the fields of points

	// combine is what becomes of the metric's field where several clients ran at once; zero: it
	// follows from other fields, or from the histograms.
	combine fieldRule
	// Percentile is that of a latency. It is the highest [Point.LatencyLowerBoundFrom] that makes
	// the figure a lower bound.
	Percentile float64
	// TooShort is the kind of the warning that the period is too short for the percentile, but not
	// for lower ones; "": it may be short.
	TooShort Kind
	of       func(Latency) float64
	ends     func(*LatencyInterval) (low, high int64) // of its interval; nil: it has none
}

// Column is a metric's column in the terminal's table. Its cells have medians in [Unit.Cell].
type Column struct {
	Head  [2]string
	Spare int  // how soon it is left out for width; 0: never
	Plain bool // without how far the repeats are from the median
	// If reports whether a point calls for the column; nil: the table always has it.
	If func(*Point) bool
	// Total makes a cell of all repeats in place of a median; nil: it is a median.
	Total func(repeats []*Point) string
	// Label says above the table what is the same in all rows: "hits %s %%"; "": nothing.
	Label string
}

// Metrics returns the metrics that a condition holds for.
func Metrics(is func(*Metric) bool) (list []*Metric) {
	for _, m := range metrics {
		if is(m) {
			list = append(list, m)
		}
	}
	return list
}

// LatencyMetrics returns the latencies from the intended send.
func LatencyMetrics() []*Metric {
	return Metrics(func(m *Metric) bool { return m.of != nil && !m.actual() })
}

// NamedMetric returns the metric with a name that is known, as [Named] does.
func NamedMetric(name string) *Metric {
	m := FindMetric(metrics, name)
	if m == nil {
		panic("results: no metric " + name)
	}
	return m
}

// FindMetric returns the metric of a list with a name, or nil: the full one, the short one, or that
// as people write it.
func FindMetric(list []*Metric, name string) *Metric {
	for _, m := range list {
		if name == m.Name || name == m.Short || name == m.Shown() {
			return m
		}
	}
	return nil
}

// Names are the short names of metrics as people write them.
func Names(list []*Metric) (names []string) {
	for _, m := range list {
		names = append(names, m.Shown())
	}
	return names
}

// DefaultLatencyMetrics are the metrics of a figure without a list of its own.
const DefaultLatencyMetrics = "p50,p99"

// ParseLatencyMetrics reads a comma-separated list such as "p50,p99.9".
func ParseLatencyMetrics(list string) ([]*Metric, error) {
	var chosen []*Metric
	for name := range strings.SplitSeq(list, ",") {
		m, err := parseLatencyMetric(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, m)
	}
	return chosen, nil
}

func parseLatencyMetric(name string) (*Metric, error) {
	list := LatencyMetrics()
	if m := FindMetric(list, name); m != nil {
		return m, nil
	}
	names := Names(list)
	return nil, fmt.Errorf("latency: found %q%s, allowed: one or more of %s, separated by commas",
		name, spelling.Hint(name, names), strings.Join(names, ", "))
}

// Percentiles replaces the percentiles in names of files and fields by the way people write them.
var Percentiles = strings.NewReplacer("p999", "p99.9")

// Shown is the short name as people write it.
func (m *Metric) Shown() string { return Percentiles.Replace(m.Short) }

// actualPrefix begins the names of latencies from the actual send.
const actualPrefix = "actual_"

func (m *Metric) actual() bool { return strings.HasPrefix(m.Name, actualPrefix) }

// FromActualSend returns the same figure of the latency from the actual send.
func (m *Metric) FromActualSend() *Metric { return m.sibling(actualPrefix + m.Name) }

// Intended returns the same figure of the latency from the intended send.
func (m *Metric) Intended() *Metric { return m.sibling(strings.TrimPrefix(m.Name, actualPrefix)) }

// sibling is the latency with a name. Other metrics have none.
func (m *Metric) sibling(name string) *Metric {
	if m.of == nil || m.actual() == strings.HasPrefix(name, actualPrefix) {
		return m
	}
	return NamedMetric(name)
}

// Stem names files and columns of the metric: "p99", "p99-actual".
func (m *Metric) Stem() string {
	if short, actual := strings.CutPrefix(m.Short, actualPrefix); actual {
		return short + "-actual"
	}
	return m.Short
}

// ProbeName is the name of a latency as a figure of probes.
func (m *Metric) ProbeName() string { return m.Intended().Short + "_latency_ns" }

// Statistic names a column: "latency_p99_median_ns", "latency_p99_actual_min_ns".
func (m *Metric) Statistic(statistic string) string {
	stem := strings.TrimSuffix(m.Intended().Name, "_"+m.Unit.Suffix)
	if m.actual() {
		stem += "_actual"
	}
	return stem + "_" + statistic + "_" + m.Unit.Suffix
}

// In is the metric's title with a unit: "throughput (Mops)".
func (m *Metric) In(u numfmt.Unit) string { return m.Title + " (" + u.Name + ")" }

// OfLatency is the metric of a distribution, in nanoseconds.
func (m *Metric) OfLatency(l Latency) float64 { return m.of(l) }

// OfBench is the metric of a point in the unit of benchmarks.
func (m *Metric) OfBench(p *Point) float64 { return m.Of(p) / m.Unit.Bench.Per }

// Measured reports whether a point tells the figure.
func (m *Metric) Measured(p *Point) bool {
	if m.Has == nil {
		return m.Of(p) != 0
	}
	return m.Has(p)
}

// LowerBound reports whether the metric of a point is only a lower bound; see
// [Point.LatencyLowerBoundFrom]. The mean is one along with the first percentile.
func (m *Metric) LowerBound(p *Point) bool {
	from := p.LatencyLowerBoundFrom
	return !m.actual() && from > 0 && from <= m.Percentile
}

// Ends are the ends of the metric's interval. Without an interval it has none.
func (m *Metric) Ends(i *LatencyInterval) (low, high int64, has bool) {
	if m.ends == nil {
		return 0, 0, false
	}
	low, high = m.ends(i)
	return low, high, true
}

// OpenEnd reports whether the metric's interval has a low end and no high end.
func (m *Metric) OpenEnd(i *LatencyInterval) bool {
	_, high, has := m.Ends(i)
	return has && i.Sections > 0 && high == 0
}

// NoHighEnd reports whether the interval of a point's metric has no high end.
func (m *Metric) NoHighEnd(p *Point) bool {
	if m.actual() {
		return m.OpenEnd(&p.ActualInterval)
	}
	return m.OpenEnd(&p.LatencyInterval)
}

// IsTooShort reports whether a point warns that its period is too short for the metric.
func (m *Metric) IsTooShort(p *Point) bool {
	return m.TooShort != "" && slices.ContainsFunc(metrics, func(lower *Metric) bool {
		return lower.TooShort != "" && lower.Percentile <= m.Percentile &&
			p.Warnings.Has(lower.TooShort)
	})
}
