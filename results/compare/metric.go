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
			list = append(list, Metric{Name: name, Unit: "sec", Of: seconds})
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

// DefaultMetrics are the metrics of a comparison without a list of its own.
const DefaultMetrics = "throughput,p50,p99,server_cpu"

// ParseMetrics reads a comma-separated list of names. Short ones are allowed:
// "throughput,p99.9,actual_p50,server_cpu".
func ParseMetrics(list string) ([]Metric, error) {
	var chosen []Metric
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		i := slices.IndexFunc(Metrics(), func(m Metric) bool {
			return m.Name == name || m.short() == name || m.shown() == name
		})
		if i < 0 {
			var known []string
			for _, m := range Metrics() {
				known = append(known, m.shown())
			}
			return nil, fmt.Errorf("metric: found %q%s, allowed: %s", name,
				spelling.Hint(name, known), strings.Join(known, ", "))
		}
		m := Metrics()[i]
		if slices.ContainsFunc(chosen, func(have Metric) bool { return have.Name == m.Name }) {
			return nil, fmt.Errorf("metric: found %q twice, allowed: once", name)
		}
		chosen = append(chosen, m)
	}
	return chosen, nil
}

// shown is the short name as people write it.
func (m *Metric) shown() string { return results.Percentiles.Replace(m.short()) }

// short is the name without the words that the unit already implies.
func (m *Metric) short() string {
	name := strings.NewReplacer("latency_", "", "_ns_per_op", "", "_ops", "").Replace(m.Name)
	return strings.TrimSuffix(name, "_ns")
}
