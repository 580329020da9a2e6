package compare

import (
	"fmt"
	"slices"
	"strings"

	"dpukv/internal/spelling"
	"dpukv/results"
)

// Metrics returns the metrics that a comparison may name.
func Metrics() []*results.Metric {
	return results.Metrics(func(m *results.Metric) bool { return m.Compared })
}

// DefaultMetrics are the metrics of a comparison without a list of its own.
const DefaultMetrics = "throughput,p50,p99,server_cpu"

// ParseMetrics reads a comma-separated list of names. Short ones are allowed:
// "throughput,p99.9,actual_p50,server_cpu".
func ParseMetrics(list string) ([]*results.Metric, error) {
	var chosen []*results.Metric
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		m := results.FindMetric(Metrics(), name)
		if m == nil {
			names := results.Names(Metrics())
			return nil, fmt.Errorf("metric: found %q%s, allowed: %s", name,
				spelling.Hint(name, names), strings.Join(names, ", "))
		}
		if slices.Contains(chosen, m) {
			return nil, fmt.Errorf("metric: found %q twice, allowed: once", name)
		}
		chosen = append(chosen, m)
	}
	return chosen, nil
}
