package results

import (
	"fmt"
	"slices"
	"strings"
)

// Measure is one figure of a latency distribution.
type Measure struct {
	Name   string // names files and CSV columns: "p99", "p999"
	Title  string // "p99.9 latency"
	actual bool   // from the actual send, not from the intended one
	of     func(Latency) float64
}

var measures = []Measure{
	{Name: "mean", Title: "mean latency", of: func(l Latency) float64 { return l.MeanNs }},
	{Name: "p50", Title: "median latency", of: func(l Latency) float64 { return float64(l.P50Ns) }},
	{Name: "p95", Title: "p95 latency", of: func(l Latency) float64 { return float64(l.P95Ns) }},
	{Name: "p99", Title: "p99 latency", of: func(l Latency) float64 { return float64(l.P99Ns) }},
	{Name: "p999", Title: "p99.9 latency", of: func(l Latency) float64 { return float64(l.P999Ns) }},
	{Name: "max", Title: "maximum latency", of: func(l Latency) float64 { return float64(l.MaxNs) }},
}

// Measures returns all there are, from the intended send.
func Measures() []Measure { return slices.Clone(measures) }

// DefaultMeasures are those to draw where none are asked for.
const DefaultMeasures = "p50,p99"

// ParseMeasures reads a comma-separated list such as "p50,p99.9".
func ParseMeasures(list string) ([]Measure, error) {
	var chosen []Measure
	for name := range strings.SplitSeq(list, ",") {
		m, err := parseMeasure(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, m)
	}
	return chosen, nil
}

func parseMeasure(name string) (Measure, error) {
	var known []string
	for _, m := range measures {
		if m.Name == strings.ReplaceAll(name, ".", "") {
			return m, nil
		}
		known = append(known, m.Name)
	}
	return Measure{}, fmt.Errorf("latency %q: want one or more of %s, separated by commas", name, strings.Join(known, ", "))
}

const actualSuffix = "-actual"

// FromActualSend is the same figure of the latency from the actual send.
func (m Measure) FromActualSend() Measure {
	m.Name += actualSuffix
	m.Title += " from the actual send"
	m.actual = true
	return m
}

// Ns is the measure of a point, in nanoseconds.
func (m Measure) Ns(p *Point) float64 {
	if m.actual {
		return m.of(p.Actual)
	}
	return m.of(p.Latency)
}
