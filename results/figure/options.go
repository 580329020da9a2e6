package figure

import (
	"slices"

	"dpukv/results"
)

// Options says which figures to draw, and how.
type Options struct {
	// Metrics are the latency metrics. None means DefaultLatencyMetrics, or the median alone if an
	// emulated machine has a CPU quota.
	Metrics    []*results.Metric
	Actual     bool // latency from the actual send, not from the intended one
	LogX       bool
	LogY       bool
	Bound      *results.Bound // drawn in the figures of its metric; nil: none
	Study      *Study         // one figure of the study; nil: the charts of the run
	Probes     int            // the number of the study's figure of probes; 0: none
	SharedAxes bool           // one range for all panels and figures of a metric
	NoClip     bool           // outliers stay on the axis, however they flatten the rest
	Formats    []string       // of [Formats]; none: [DefaultFormats]
	Layout     Layout
	Dir        string // of the files; empty: the run's own folder of figures
}

// metrics are the chosen metrics of these points, each from the chosen send.
func (o *Options) metrics(points []*results.Point) []*results.Metric {
	chosen := o.Metrics
	if len(chosen) == 0 {
		names := results.DefaultLatencyMetrics
		if slices.ContainsFunc(points, (*results.Point).UnderQuota) {
			names = "p50"
		}
		chosen, _ = results.ParseLatencyMetrics(names)
	}
	if !o.Actual {
		return chosen
	}
	var list []*results.Metric
	for _, m := range chosen {
		list = append(list, m.FromActualSend())
	}
	return list
}

// boundFor is the bound, if it is a bound of this metric.
func (o *Options) boundFor(m *results.Metric) *results.Bound {
	if o.Bound == nil || o.Bound.Metric != m.Intended() {
		return nil
	}
	return o.Bound
}

// formats are the chosen formats.
func (o *Options) formats() []string {
	if len(o.Formats) == 0 {
		return DefaultFormats
	}
	return o.Formats
}
