package probe

import "github.com/HdrHistogram/hdrhistogram-go"

// Percentiles are the figures of a histogram in nanoseconds, as all kinds name them.
func Percentiles(h *hdrhistogram.Histogram) map[string]float64 {
	return map[string]float64{
		"mean_latency_ns": h.Mean(),
		"p50_latency_ns":  float64(h.ValueAtPercentile(50)),
		"p99_latency_ns":  float64(h.ValueAtPercentile(99)),
		"p999_latency_ns": float64(h.ValueAtPercentile(99.9)),
	}
}
