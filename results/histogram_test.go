package results_test

import (
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"pgregory.net/rapid"

	"dpukv/results"
)

// samples draws latencies over the whole range, most of them where latencies are.
func samples() *rapid.Generator[[]int64] {
	return rapid.SliceOf(rapid.OneOf(
		rapid.Int64Range(1, 10_000),
		rapid.Int64Range(1_000, 5_000_000),
		rapid.Int64Range(results.HistogramLowestNs, results.HistogramHighestNs),
	))
}

func histogramOf(samples ...[]int64) *hdrhistogram.Histogram {
	h := results.NewHistogram()
	for _, s := range samples {
		for _, v := range s {
			results.Record(h, v)
		}
	}
	return h
}

func TestMergedHistogramsAreTheHistogramOfTheMergedSamples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(samples(), 1, 5).Draw(t, "parts")
		var hs []*hdrhistogram.Histogram
		for _, p := range parts {
			hs = append(hs, histogramOf(p))
		}
		got, err := results.Merge(hs...)
		if err != nil {
			t.Fatal(err)
		}
		want := histogramOf(parts...)
		if !got.Equals(want) || results.LatencyOf(got) != results.LatencyOf(want) {
			t.Fatalf("merged: %+v, of the samples: %+v", results.LatencyOf(got), results.LatencyOf(want))
		}
	})
}

func TestRecordClamps(t *testing.T) {
	h := histogramOf([]int64{-5, 0, 1, results.HistogramHighestNs, results.HistogramHighestNs * 3})
	if h.TotalCount() != 5 || h.Min() != 1 || h.Max() < results.HistogramHighestNs {
		t.Fatalf("count %d, min %d, max %d", h.TotalCount(), h.Min(), h.Max())
	}
}

func TestLatencyOf(t *testing.T) {
	if got := results.LatencyOf(results.NewHistogram()); got != (results.Latency{}) {
		t.Errorf("empty: %+v", got)
	}
	h := results.NewHistogram()
	for v := int64(1); v <= 1000; v++ {
		results.Record(h, v)
	}
	want := results.Latency{MeanNs: 500.5, P50Ns: 500, P95Ns: 950, P99Ns: 990, P999Ns: 999, MaxNs: 1000}
	if got := results.LatencyOf(h); got != want {
		t.Errorf("1…1000: got %+v, want %+v", got, want)
	}
}
