package results

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"pgregory.net/rapid"
)

// samples draws latencies over the whole range, most of them where latencies are.
func samples() *rapid.Generator[[]int64] {
	return rapid.SliceOf(rapid.OneOf(
		rapid.Int64Range(1, 10_000),
		rapid.Int64Range(1_000, 5_000_000),
		rapid.Int64Range(HistogramLowestNs, HistogramHighestNs),
	))
}

func histogramOf(samples ...[]int64) *hdrhistogram.Histogram {
	h := NewHistogram()
	for _, s := range samples {
		for _, v := range s {
			Record(h, v)
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
		got, err := Merge(hs...)
		if err != nil {
			t.Fatal(err)
		}
		want := histogramOf(parts...)
		if !got.Equals(want) || LatencyOf(got) != LatencyOf(want) {
			t.Fatalf("merged: %+v, of the samples: %+v", LatencyOf(got), LatencyOf(want))
		}
	})
}

func TestHlogHoldsWhatWasEncoded(t *testing.T) {
	epoch := time.UnixMilli(1_790_000_000_000).UTC()
	rapid.Check(t, func(t *rapid.T) {
		var want []Interval
		at := epoch
		for range rapid.IntRange(0, 4).Draw(t, "intervals") {
			end := at.Add(time.Duration(rapid.Int64Range(1, 100_000).Draw(t, "ms")) * time.Millisecond)
			for _, tag := range []string{TagIntended, TagActual} {
				want = append(want, Interval{tag, at, end, histogramOf(samples().Draw(t, tag))})
			}
			at = end
		}
		log, err := EncodeHlog(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := DecodeHlog(log)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) {
			t.Fatalf("%d intervals, want %d", len(got), len(want))
		}
		for i := range got {
			g, w := got[i], want[i]
			if g.Tag != w.Tag || !g.Start.Equal(w.Start) || !g.End.Equal(w.End) || !g.Histogram.Equals(w.Histogram) {
				t.Fatalf("interval %d: got %v %v…%v, want %v %v…%v", i, g.Tag, g.Start, g.End, w.Tag, w.Start, w.End)
			}
		}
	})
}

func TestHlogIsReadableByTheLibrary(t *testing.T) {
	log, err := EncodeHlog([]Interval{{TagIntended, time.UnixMilli(1000), time.UnixMilli(2000), histogramOf([]int64{5000})}})
	if err != nil {
		t.Fatal(err)
	}
	h, err := hdrhistogram.NewHistogramLogReader(bytes.NewReader(log)).NextIntervalHistogram()
	if err != nil || h == nil || h.Tag() != TagIntended || h.TotalCount() != 1 {
		t.Fatalf("the library reads %v, %v", h, err)
	}
}

func TestDamagedHlogIsNamedByLine(t *testing.T) {
	good, err := EncodeHlog([]Interval{{TagActual, time.UnixMilli(0), time.UnixMilli(1), histogramOf([]int64{7, 7, 9})}})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Count(string(good), "\n")
	for name, damaged := range map[string]string{
		"cut payload":   string(good[:len(good)-10]),
		"empty payload": "Tag=actual,1.0,1.0,1.0,",
		"tag only":      "Tag=actual",
		"no number":     "Tag=actual,soon,1.0,1.0,HISTFAAA",
		"short payload": "1.0,1.0,1.0,HIST",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := DecodeHlog([]byte(damaged))
			if err == nil || !strings.Contains(err.Error(), "line ") {
				t.Fatalf("got %v, want an error that names the line (of %d)", err, lines)
			}
		})
	}
}

func TestRecordClamps(t *testing.T) {
	h := histogramOf([]int64{-5, 0, 1, HistogramHighestNs, HistogramHighestNs * 3})
	if h.TotalCount() != 5 || h.Min() != 1 || h.Max() < HistogramHighestNs {
		t.Fatalf("count %d, min %d, max %d", h.TotalCount(), h.Min(), h.Max())
	}
}

func TestLatencyOf(t *testing.T) {
	if got := LatencyOf(NewHistogram()); got != (Latency{}) {
		t.Errorf("empty: %+v", got)
	}
	h := NewHistogram()
	for v := int64(1); v <= 1000; v++ {
		Record(h, v)
	}
	want := Latency{MeanNs: 500.5, P50Ns: 500, P95Ns: 950, P99Ns: 990, P999Ns: 999, MaxNs: 1000}
	if got := LatencyOf(h); got != want {
		t.Errorf("1…1000: got %+v, want %+v", got, want)
	}
}

func FuzzDecodeHlog(f *testing.F) {
	log, _ := EncodeHlog([]Interval{{TagIntended, time.UnixMilli(1), time.UnixMilli(2), histogramOf([]int64{1, 1e6})}})
	f.Add(log)
	f.Fuzz(func(_ *testing.T, log []byte) {
		// Only that it returns: damage must never end the process.
		_, _ = DecodeHlog(log)
	})
}
