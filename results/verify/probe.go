package verify

import (
	"fmt"

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
	var faults []string
	for _, m := range results.LatencyMetrics() {
		name, want := m.ProbeName(), m.OfLatency(l)
		found, measured := p.Figures[name]
		if measured && !same(found, want, rounding) {
			faults = append(faults, fmt.Sprintf("figures: found %s = %v, the log has %v", name,
				found, want))
		}
	}
	return faults, nil
}
