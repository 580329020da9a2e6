package perf

import (
	"math"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// samples are the latencies of a point. A number of iterations keeps each, as perftest does. For a
// duration they go into a histogram, so that a long run needs no more memory than a short one.
type samples struct {
	count     int
	each      []time.Duration
	histogram *hdrhistogram.Histogram
}

// maxLatency is the longest latency that a histogram tells from longer ones.
const maxLatency = time.Minute

func newSamples(c *Config) *samples {
	if c.Duration > 0 {
		return &samples{histogram: hdrhistogram.New(1, maxLatency.Nanoseconds(), 3)}
	}
	return &samples{each: make([]time.Duration, 0, min(c.Iters, 1<<20))}
}

func (s *samples) add(d time.Duration) {
	s.count++
	if s.histogram == nil {
		s.each = append(s.each, d)
		return
	}
	// It fails only beyond the limits.
	_ = s.histogram.RecordValue(min(max(d.Nanoseconds(), 1), maxLatency.Nanoseconds()))
}

// micros summarizes the samples.
func (s *samples) micros() *Micros {
	h := s.histogram
	if h == nil {
		return micros(s.each)
	}
	at := func(percent float64) float64 {
		return usec(time.Duration(h.ValueAtPercentile(percent)))
	}
	return &Micros{
		Min: usec(time.Duration(h.Min())), Max: usec(time.Duration(h.Max())), Typical: at(50),
		Avg: h.Mean() / 1e3, Stdev: h.StdDev() / 1e3, P99: at(99), P999: at(99.9),
	}
}

// micros sorts and summarizes samples.
func micros(samples []time.Duration) *Micros {
	slices.Sort(samples)
	var sum, squares float64
	for _, s := range samples {
		sum += usec(s)
	}
	avg := sum / float64(len(samples))
	for _, s := range samples {
		squares += (usec(s) - avg) * (usec(s) - avg)
	}
	return &Micros{
		Min: usec(samples[0]), Max: usec(samples[len(samples)-1]), Typical: quantile(samples, .5),
		Avg:   avg,
		Stdev: math.Sqrt(squares / float64(len(samples))), P99: quantile(samples, .99),
		P999: quantile(samples, .999),
	}
}

func usec(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

// quantile returns the smallest sample that at least a share q of the sorted samples does not
// exceed.
func quantile(sorted []time.Duration, q float64) float64 {
	i := int(math.Ceil(q*float64(len(sorted)))) - 1
	return usec(sorted[max(i, 0)])
}
