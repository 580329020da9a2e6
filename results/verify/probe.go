package verify

import (
	"fmt"
	"maps"
	"slices"

	"dpukv/results"
)

// probeFaults compares the latencies of a probe with those of its log. An open loop has two
// histograms, and its figures count from the intended send.
func probeFaults(p *results.Point, log []results.Interval) ([]string, error) {
	h, err := results.MergeTag(log, results.TagIntended)
	if err == nil && h.TotalCount() == 0 {
		h, err = results.MergeTag(log, results.TagActual)
	}
	if err != nil {
		return nil, err
	}
	l := results.LatencyOf(h)
	want := map[string]float64{
		"mean_latency_ns": l.MeanNs, "p50_latency_ns": float64(l.P50Ns),
		"p99_latency_ns": float64(l.P99Ns), "p999_latency_ns": float64(l.P999Ns),
	}
	var faults []string
	for _, name := range slices.Sorted(maps.Keys(want)) {
		found, measured := p.Figures[name]
		if measured && !same(found, want[name], rounding) {
			faults = append(faults, fmt.Sprintf("figures: found %s = %v, the log has %v", name,
				found, want[name]))
		}
	}
	return faults, nil
}
