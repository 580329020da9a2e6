package verify

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"dpukv/internal/numfmt"
	"dpukv/results"
)

// latency computes each percentile anew, from the histogram logs.
func (f *folder) latency() Check {
	without := 0
	c := f.each("latency", func(p *results.Point) []string {
		intervals, err := f.Histograms(p.ID)
		switch {
		case errors.Is(err, fs.ErrNotExist) && p.HlogBytes == 0:
			without += unlogged(p)
			return nil
		case err != nil:
			return []string{err.Error()}
		}
		faults, err := latencyFaults(p, intervals, f.chained)
		if err != nil {
			faults = append(faults, err.Error())
		}
		return faults
	})
	if c.Outcome == OK && without > 0 {
		c.Outcome, c.Found = Unknown, count(without, "point")+" without a histogram log"
	}
	return c
}

// unlogged is 1 if a point has percentiles and no log that proves them. Most probes have none.
func unlogged(p *results.Point) int {
	if _, has := p.Figures["p50_latency_ns"]; p.IsProbe() && !has {
		return 0
	}
	return 1
}

// latencyFaults compares a point's latencies with those of its log. counted tells that the build
// counts late operations as this one does.
func latencyFaults(p *results.Point, log []results.Interval, counted bool) ([]string, error) {
	if p.IsProbe() {
		return probeFaults(p, log)
	}
	intended, err1 := results.MergeTag(log, results.TagIntended)
	actual, err2 := results.MergeTag(log, results.TagActual)
	unsent, err3 := results.MergeTag(log, results.TagUnsent)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	var faults []string
	if counted {
		faults = append(countFault("intended", intended.TotalCount(), p.Ops+p.LateOps+p.UnsentOps+
			p.UnansweredOps), countFault("actual", actual.TotalCount(), p.Ops+p.LateOps+
			p.UnansweredOps)...)
	}
	faults = append(faults, compareLatency("", p.Latency,
		results.LatencyOf(intended).WithP9999(intended))...)
	faults = append(faults, compareLatency("actual.", p.Actual,
		results.LatencyOf(actual).WithP9999(actual))...)
	if len(p.Clients) == 1 && p.Clients[0].Latency != p.Latency {
		faults = append(faults, fmt.Sprintf("clients: found the latency %+v, the point has %+v",
			p.Clients[0].Latency, p.Latency))
	}
	if want := results.LowerBoundFrom(intended, unsent); p.LatencyLowerBoundFrom != want {
		faults = append(faults, fmt.Sprintf("latency_lower_bound_from: found %v, the log has %v",
			p.LatencyLowerBoundFrom, want))
	}
	for _, of := range []struct {
		name, tag string
		found     results.LatencyInterval
	}{
		{"latency_interval", results.TagIntended, p.LatencyInterval},
		{"actual_interval", results.TagActual, p.ActualInterval},
	} {
		want := results.LatencyIntervalOf(log, of.tag)
		if of.found.Sections > 0 && of.found != want { // 0: by the method of an older build
			faults = append(faults, fmt.Sprintf("%s: found %+v, the log has %+v", of.name,
				of.found, want))
		}
	}
	if want := results.ByOpOf(log); !slices.Equal(p.ByOp, want) {
		faults = append(faults, fmt.Sprintf("by_op: found %+v, the log has %+v", p.ByOp, want))
	}
	if want := results.HitRateIntervalOf(log); p.HitRateInterval != want {
		faults = append(faults, fmt.Sprintf("hit_rate_interval: found %+v, the log has %+v",
			p.HitRateInterval, want))
	}
	return faults, nil
}

// countFault compares the operations in a log with those that a point counts.
func countFault(tag string, found int64, want uint64) []string {
	if uint64(found) == want {
		return nil
	}
	return []string{fmt.Sprintf("the log has %d operations with the tag %s, the point counts %d",
		found, tag, want)}
}

// compareLatency compares the figures of one distribution.
func compareLatency(prefix string, found, want results.Latency) (faults []string) {
	check := func(name string, found, want float64) {
		if !same(found, want, rounding) {
			faults = append(faults, fmt.Sprintf("%s%s: found %s, the log has %s", prefix, name,
				numfmt.Plain(found), numfmt.Plain(want)))
		}
	}
	for _, m := range results.LatencyMetrics() {
		check(m.Name, m.OfLatency(found), m.OfLatency(want))
	}
	if found.P9999Ns > 0 { // else there are too few batches for it
		check("latency_p9999_ns", float64(found.P9999Ns), float64(want.P9999Ns))
	}
	return faults
}
