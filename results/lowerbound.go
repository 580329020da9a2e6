package results

import (
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// boundTolerance is the share by which unsent operations must be able to raise a percentile, for it
// to be a lower bound. Below it, the percentile stands.
const boundTolerance = 0.01

// LowerBoundFrom returns the lowest percentile of a [Latency] that is only a lower bound: 50, 95,
// 99, 99.9, or 100 for the maximum. all has the latencies from the intended send. It includes the
// unsent operations with their ages, and unsent has those alone. Their latency would have been
// higher by an unknown time. Without unsent operations the result is 0.
func LowerBoundFrom(all, unsent *hdrhistogram.Histogram) float64 {
	if unsent.TotalCount() == 0 {
		return 0
	}
	sent := minus(all, unsent)
	for _, percentile := range []float64{50, 95, 99, 99.9} {
		// with all unsent operations beyond the percentile
		rank := math.Ceil(percentile / 100 * float64(all.TotalCount()))
		if rank > float64(sent.TotalCount()) {
			return percentile
		}
		most := sent.ValueAtPercentile(100 * rank / float64(sent.TotalCount()))
		least := all.ValueAtPercentile(percentile)
		if float64(most) > float64(least)*(1+boundTolerance) {
			return percentile
		}
	}
	return 100
}

// minus returns the counts of a without those of b, which a includes, unless a log was damaged.
func minus(a, b *hdrhistogram.Histogram) *hdrhistogram.Histogram {
	left, out := a.Export(), b.Export()
	for i, n := range out.Counts {
		left.Counts[i] = max(left.Counts[i]-n, 0)
	}
	return hdrhistogram.Import(left)
}
