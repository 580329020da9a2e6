package results

import (
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// The range and the precision of every latency histogram. They are the same everywhere, so that any
// two histograms can be merged without loss. The highest value is beyond any time-out in use.
// Clamping to it therefore changes no credible figure.
const (
	HistogramLowestNs  = 1
	HistogramHighestNs = int64(120 * time.Second)
	HistogramDigits    = 3 // significant decimal digits: a figure is within 0.1 % of the sample
)

// NewHistogram returns an empty latency histogram. It takes about 230 KB.
func NewHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(HistogramLowestNs, HistogramHighestNs, HistogramDigits)
}

// Record counts one latency in a histogram of [NewHistogram], clamped to its range.
func Record(h *hdrhistogram.Histogram, latencyNs int64) { RecordN(h, latencyNs, 1) }

// RecordN counts n equal latencies as [Record] does.
func RecordN(h *hdrhistogram.Histogram, latencyNs, n int64) {
	latencyNs = min(max(latencyNs, HistogramLowestNs), HistogramHighestNs)
	// RecordValues fails only for a value out of range, and the line above excludes that.
	_ = h.RecordValues(latencyNs, n)
}

// Merge returns a new histogram with the counts of all of hs. It fails if a histogram holds values
// out of the range of [NewHistogram].
func Merge(hs ...*hdrhistogram.Histogram) (*hdrhistogram.Histogram, error) {
	sum := NewHistogram()
	for i, h := range hs {
		if dropped := sum.Merge(h); dropped > 0 {
			return nil, fmt.Errorf("merge histogram %d of %d: found %d values above %v, "+
				"allowed: none",
				i+1, len(hs), dropped, time.Duration(HistogramHighestNs))
		}
	}
	return sum, nil
}

// LagOf returns the figures of a histogram of lags; all are zero for an empty one.
func LagOf(h *hdrhistogram.Histogram) Lag {
	if h.TotalCount() == 0 {
		return Lag{}
	}
	return Lag{
		P50Ns: h.ValueAtPercentile(50), P99Ns: h.ValueAtPercentile(99),
		P999Ns: h.ValueAtPercentile(99.9), MaxNs: h.Max(),
	}
}

// BatchesForP9999 is the number of batches from which on ten lie beyond the 99.99th percentile.
const BatchesForP9999 = 100_000

// LatencyOf returns the figures of a histogram in nanoseconds; all are zero for an empty one. It
// leaves out the 99.99th percentile: a histogram does not know its batches.
func LatencyOf(h *hdrhistogram.Histogram) Latency {
	if h.TotalCount() == 0 {
		return Latency{}
	}
	return Latency{
		MeanNs: h.Mean(),
		P50Ns:  h.ValueAtPercentile(50),
		P95Ns:  h.ValueAtPercentile(95),
		P99Ns:  h.ValueAtPercentile(99),
		P999Ns: h.ValueAtPercentile(99.9),
		MaxNs:  h.Max(),
	}
}

// WithP9999 adds the 99.99th percentile of the same histogram.
func (l Latency) WithP9999(h *hdrhistogram.Histogram) Latency {
	l.P9999Ns = h.ValueAtPercentile(99.99)
	return l
}
