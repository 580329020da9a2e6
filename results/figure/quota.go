package figure

import (
	"slices"

	"dpukv/results"
)

// hasQuota reports whether an emulated machine with a CPU quota is at either end of a point. Such a
// machine stands still when its quota is used up, until the kernel renews the quota. That takes
// milliseconds, which no core of a DPU would take.
func hasQuota(p *results.Point) bool {
	limited := func(n results.Node) bool { return n.Profile != "" && n.Profile != "none" }
	return limited(p.ServerNode) || slices.ContainsFunc(p.Clients,
		func(c results.ClientShare) bool { return limited(c.Node) })
}

// quotaNote says what a CPU quota does to the tails of a figure.
func (f *figure) quotaNote() string {
	if !slices.ContainsFunc(f.points(), hasQuota) {
		return ""
	}
	for _, p := range f.panels {
		if p.metric.Percentile > 50 {
			return "tails and means: artefacts of the emulated machines' CPU quotas, not a DPU's"
		}
	}
	return "medians only: the emulated machines' CPU quotas distort tails and means"
}
