package results

import (
	"math"
	"slices"
	"time"

	"dpukv/internal/numfmt"
	"dpukv/internal/sample"
)

const (
	// driftShare is the least change over a measurement period that is a drift.
	driftShare = 0.05
	driftLevel = 0.01 // of the test
	// driftSlices are the parts of a period that the test compares. Those of a full queue depend on
	// each other, and the more so the shorter they are.
	driftSlices = 10
	// driftFloor is the least that a slice counts, as a part of the median: one without an answer
	// has no logarithm.
	driftFloor = 1e-3
)

// DriftWarnings warns if the throughput, the median latency or the hit rate rose or fell over a
// point's measurement period. The median is that from the intended send. The order of ten slices of
// the period decides (Mann and Kendall): a burst in the middle is no drift. At least six intervals
// are needed for the level of the test.
func DriftWarnings(p *Point, intervals []Interval) (warnings Warnings) {
	end := p.StartedAt.Add(time.Duration(p.DurationNs))
	whole := slices.DeleteFunc(slices.Clone(intervals), func(iv Interval) bool {
		return iv.Tag != TagIntended || iv.Start.Before(p.StartedAt) || iv.End.After(end)
	})
	var rates, medians []float64
	n := min(len(whole), driftSlices)
	for i := range n {
		h, took := NewHistogram(), time.Duration(0)
		for _, iv := range whole[i*len(whole)/n : (i+1)*len(whole)/n] {
			h.Merge(iv.Histogram)
			took += iv.End.Sub(iv.Start)
		}
		rates = append(rates, float64(h.TotalCount())/took.Seconds())
		medians = append(medians, float64(h.ValueAtPercentile(50)))
	}
	for _, of := range []struct {
		name   string
		series []float64
	}{
		{"throughput", rates},
		{"median latency", medians},
		{"hit rate", hitRatesIn(n, whole, intervals)},
	} {
		why := "Warm up for longer, or find what changes"
		if p.Replays() {
			why = "A trace changes over its time: trace_range takes a part of it"
		}
		share, chance := trend(of.series)
		if chance <= driftLevel && max(share, -share) >= driftShare {
			warnings = append(warnings, Drift.Warn("the %s %s over the "+
				"measurement period (limit: %.0f %%, p=%.2g over %d slices). %s",
				of.name, numfmt.Change(share), 100*driftShare, chance, len(of.series), why))
		}
	}
	return warnings
}

// hitRatesIn returns the share of hits in each of n parts of the whole, or nothing if none missed.
func hitRatesIn(n int, whole, intervals []Interval) (rates []float64) {
	hits, misses := hitsIn(n, whole, intervals)
	if sum(misses) == 0 {
		return nil
	}
	for i := range hits {
		rates = append(rates, ratio(hits[i], hits[i]+misses[i]))
	}
	return rates
}

// trend is the change from the first value to the last, as a share of the first, and the
// probability of such an order by chance. The factor from one to the next is the median of those
// between all pairs (Theil and Sen, of logarithms). So nothing falls by more than all of itself.
func trend(series []float64) (share, chance float64) {
	middle := sample.Median(series)
	if len(series) < 2 || middle == 0 {
		return 0, 1
	}
	log := func(x float64) float64 { return math.Log(max(x, driftFloor*middle)) }
	var slopes []float64
	score := 0 // rising pairs less falling ones
	for i, x := range series {
		for j, y := range series[i+1:] {
			slopes = append(slopes, (log(y)-log(x))/float64(j+1))
			switch {
			case y > x:
				score++
			case y < x:
				score--
			}
		}
	}
	share = math.Expm1(sample.Median(slopes) * float64(len(series)-1))
	return share, orderChance(len(series), max(score, -score))
}

// orderChance is the probability that n values in random order have a score of at least this
// magnitude. It counts the orders by their number of falling pairs. With ties, it is too high.
func orderChance(n, score int) float64 {
	shares := []float64{1} // by falling pairs, of the values so far
	for k := 2; k <= n; k++ {
		longer := make([]float64, len(shares)+k-1)
		for falling, share := range shares {
			for more := range k { // where the kth value is inserted
				longer[falling+more] += share / float64(k)
			}
		}
		shares = longer
	}
	chance := 0.0
	for falling, share := range shares {
		if s := n*(n-1)/2 - 2*falling; max(s, -s) >= score {
			chance += share
		}
	}
	return min(1, chance)
}
