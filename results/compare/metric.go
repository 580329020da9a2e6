package compare

import (
	"fmt"
	"slices"
	"strings"

	"dpukv/internal/spelling"
	"dpukv/results"
)

// Metric is one figure of a point.
type Metric struct {
	Name   string // as in the point's JSON; "actual_" before it: from the actual send
	Unit   string // of the value that Of returns: benchmark units, "ops/s" and "sec"
	Higher bool   // is better
	Of     func(*results.Point) float64
	// has reports whether a point has the figure; nil: all have it
	has func(*results.Point) bool
	// latency is that of which the figure is one; nil: it is no latency
	latency *results.LatencyMetric
}

// Measured reports whether a point tells the figure.
func (m *Metric) Measured(p *results.Point) bool {
	if m.has == nil {
		return m.Of(p) != 0
	}
	return m.has(p)
}

// LowerBound reports whether the figure of a point is only a lower bound.
func (m *Metric) LowerBound(p *results.Point) bool {
	return m.latency != nil && m.latency.LowerBound(p)
}

// NoHighEnd reports whether the interval of a point's figure has no high end.
func (m *Metric) NoHighEnd(p *results.Point) bool {
	return m.latency != nil && m.latency.NoHighEnd(p)
}

// in reports whether both sides of a question have the figure.
func (m *Metric) in(q *question) bool { return m.has == nil || m.has(q.a[0]) && m.has(q.b[0]) }

// Metrics returns all metrics.
func Metrics() []Metric {
	list := []Metric{{Name: "throughput_ops", Unit: "ops/s", Higher: true, Of: throughput}}
	for _, actual := range []bool{false, true} {
		for _, m := range results.LatencyMetrics() {
			name := "latency_" + m.Name + "_ns"
			if actual {
				m, name = m.FromActualSend(), "actual_"+name
			}
			seconds := func(p *results.Point) float64 { return m.Ns(p) / 1e9 }
			list = append(list, Metric{Name: name, Unit: "sec", Of: seconds, latency: &m})
		}
	}
	return append(list,
		Metric{Name: "server_cpu_ns_per_op", Unit: "sec/op", Of: serverCPU},
		Metric{Name: "client_cpu_ns_per_op", Unit: "sec/op", Of: clientCPU},
	)
}

func throughput(p *results.Point) float64 { return p.ThroughputOps }
func serverCPU(p *results.Point) float64  { return p.ServerCPUNsPerOp / 1e9 }
func clientCPU(p *results.Point) float64  { return p.ClientCPUNsPerOp / 1e9 }

// TooShort reports whether a point warns that its period is too short for the figure.
func (m *Metric) TooShort(p *results.Point) bool {
	return m.latency != nil && m.latency.TooShort(p)
}

// Figures returns all metrics, and those that are 0 in many points, which no ratio compares.
func Figures() []Metric {
	return append(Metrics(),
		Metric{
			Name: "host_cpu_ns_per_op", Unit: "sec/op",
			Of:  func(p *results.Point) float64 { return p.HostCPUNsPerOp() / 1e9 },
			has: func(p *results.Point) bool { return p.HostCPUNsPerOp()+p.DPUCPUNsPerOp() > 0 },
		},
		Metric{
			Name: "misses", Unit: "share",
			Of:  func(p *results.Point) float64 { return float64(p.Misses) / float64(p.Gets) },
			has: func(p *results.Point) bool { return p.Gets > 0 },
		},
		Metric{Name: "errors", Unit: "share", Of: errorShare, has: answered},
	)
}

// errorShare is the share of operations with an error, or without an answer in time.
func errorShare(p *results.Point) float64 {
	bad := float64(p.Errors + p.Timeouts)
	return bad / (float64(p.Ops) + bad)
}

func answered(p *results.Point) bool { return p.Ops+p.Errors+p.Timeouts > 0 }

// FindFigure returns the figure with a name, which may be a short one.
func FindFigure(name string) (Metric, bool) { return find(Figures(), name) }

func find(list []Metric, name string) (Metric, bool) {
	i := slices.IndexFunc(list, func(m Metric) bool {
		return m.Name == name || m.short() == name || m.Shown() == name
	})
	if i < 0 {
		return Metric{}, false
	}
	return list[i], true
}

// DefaultMetrics are the metrics of a comparison without a list of its own.
const DefaultMetrics = "throughput,p50,p99,server_cpu"

// ParseMetrics reads a comma-separated list of names. Short ones are allowed:
// "throughput,p99.9,actual_p50,server_cpu".
func ParseMetrics(list string) ([]Metric, error) {
	var chosen []Metric
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		m, found := find(Metrics(), name)
		if !found {
			var known []string
			for _, m := range Metrics() {
				known = append(known, m.Shown())
			}
			return nil, fmt.Errorf("metric: found %q%s, allowed: %s", name,
				spelling.Hint(name, known), strings.Join(known, ", "))
		}
		if slices.ContainsFunc(chosen, func(have Metric) bool { return have.Name == m.Name }) {
			return nil, fmt.Errorf("metric: found %q twice, allowed: once", name)
		}
		chosen = append(chosen, m)
	}
	return chosen, nil
}

// Shown is the short name as people write it.
func (m *Metric) Shown() string { return results.Percentiles.Replace(m.short()) }

// short is the name without the words that the unit already implies.
func (m *Metric) short() string {
	name := strings.NewReplacer("latency_", "", "_ns_per_op", "", "_ops", "").Replace(m.Name)
	return strings.TrimSuffix(name, "_ns")
}
