package figure

import (
	"slices"

	"dpukv/results"
)

// quotaNote says what a CPU quota does to the tails of a figure.
func (f *figure) quotaNote() string {
	if !slices.ContainsFunc(f.points(), (*results.Point).UnderQuota) {
		return ""
	}
	for _, p := range f.panels {
		if p.metric.Percentile > 50 {
			return "tails and means: artefacts of the emulated machines' CPU quotas, not a DPU's"
		}
	}
	return "medians only: the emulated machines' CPU quotas distort tails and means"
}
