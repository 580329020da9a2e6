package results

import (
	"fmt"
	"slices"
	"strings"

	"dpukv/internal/spelling"
)

// LatencyMetric is one figure of a latency distribution.
type LatencyMetric struct {
	Name   string // names files, CSV columns and JSON fields: "p99", "p999"
	Title  string // "p99.9 latency"
	actual bool   // from the actual send, not from the intended one
	// Percentile is the highest [Point.LatencyLowerBoundFrom] that makes this a lower bound.
	Percentile float64
	of         func(Latency) float64
}

var latencyMetrics = []LatencyMetric{
	{
		Name: "mean", Title: "mean latency", Percentile: 99.9,
		of: func(l Latency) float64 { return l.MeanNs },
	},
	{
		Name: "p50", Title: "median latency", Percentile: 50,
		of: func(l Latency) float64 { return float64(l.P50Ns) },
	},
	{
		Name: "p95", Title: "p95 latency", Percentile: 95,
		of: func(l Latency) float64 { return float64(l.P95Ns) },
	},
	{
		Name: "p99", Title: "p99 latency", Percentile: 99,
		of: func(l Latency) float64 { return float64(l.P99Ns) },
	},
	{
		Name: "p999", Title: "p99.9 latency", Percentile: 99.9,
		of: func(l Latency) float64 { return float64(l.P999Ns) },
	},
	{
		Name: "max", Title: "maximum latency", Percentile: 100,
		of: func(l Latency) float64 { return float64(l.MaxNs) },
	},
}

// LatencyMetrics returns all metrics, from the intended send.
func LatencyMetrics() []LatencyMetric { return slices.Clone(latencyMetrics) }

// DefaultLatencyMetrics are the metrics of a figure without a list of its own.
const DefaultLatencyMetrics = "p50,p99"

// ParseLatencyMetrics reads a comma-separated list such as "p50,p99.9".
func ParseLatencyMetrics(list string) ([]LatencyMetric, error) {
	var chosen []LatencyMetric
	for name := range strings.SplitSeq(list, ",") {
		m, err := parseLatencyMetric(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, m)
	}
	return chosen, nil
}

// NamedLatency returns the metric with a name that is known, as [Named] does.
func NamedLatency(name string) LatencyMetric {
	m, err := parseLatencyMetric(name)
	if err != nil {
		panic(err)
	}
	return m
}

func parseLatencyMetric(name string) (LatencyMetric, error) {
	var known []string
	for _, m := range latencyMetrics {
		shown := Percentiles.Replace(m.Name)
		if name == m.Name || name == shown {
			return m, nil
		}
		known = append(known, shown)
	}
	return LatencyMetric{}, fmt.Errorf("latency: found %q%s, allowed: one or more of %s, "+
		"separated by commas",
		name, spelling.Hint(name, known), strings.Join(known, ", "))
}

// Percentiles replaces the percentiles in names of files and fields by the way people write them.
var Percentiles = strings.NewReplacer("p999", "p99.9")

const actualSuffix = "-actual"

// FromActualSend returns the same figure of the latency from the actual send.
func (m LatencyMetric) FromActualSend() LatencyMetric {
	m.Name += actualSuffix
	m.Title += " from the actual send"
	m.actual = true
	return m
}

// Intended returns the same figure of the latency from the intended send.
func (m LatencyMetric) Intended() LatencyMetric {
	for _, intended := range latencyMetrics {
		if intended.Name+actualSuffix == m.Name {
			return intended
		}
	}
	return m
}

// Of is the metric of a distribution, in nanoseconds.
func (m LatencyMetric) Of(l Latency) float64 { return m.of(l) }

// Ns is the metric of a point, in nanoseconds.
func (m LatencyMetric) Ns(p *Point) float64 {
	if m.actual {
		return m.of(p.Actual)
	}
	return m.of(p.Latency)
}

// NoHighEnd reports whether the metric of a point is a percentile whose interval has no high end.
func (m LatencyMetric) NoHighEnd(p *Point) bool {
	if m.Intended().Name == "mean" {
		return false
	}
	if m.actual {
		return p.ActualInterval.NoHighEnd(m.Percentile)
	}
	return p.LatencyInterval.NoHighEnd(m.Percentile)
}

// TooShort reports whether a point warns that its period is too short for the percentile.
func (m LatencyMetric) TooShort(p *Point) bool {
	switch m.Intended().Name {
	case "p95":
		return p.Warnings.Has(TooShort)
	case "p99":
		return p.Warnings.Has(TooShort, TooShortP99)
	case "p999":
		return p.Warnings.Has(TooShort, TooShortP99, TooShortP999)
	}
	return false
}
