package results_test

import (
	"testing"
	"time"

	"dpukv/results"
)

// TestMergeIntervals: the clocks of two recorders are years apart, and one recorder counted nothing
// in its first interval.
func TestMergeIntervals(t *testing.T) {
	first := time.Date(2026, 3, 4, 5, 6, 7, 123_456_789, time.UTC)
	second := first.AddDate(-2, 0, 0).Add(987_654 * time.Nanosecond)
	const length = 250 * time.Millisecond
	at := func(start time.Time, n int, tag string, latencies ...int64) results.Interval {
		h := results.NewHistogram()
		for _, l := range latencies {
			results.Record(h, l)
		}
		from := start.Add(time.Duration(n) * length)
		return results.Interval{Tag: tag, Start: from, End: from.Add(length), Histogram: h}
	}
	got, err := results.MergeIntervals(
		results.Recording{
			first,
			[]results.Interval{
				at(first, 0, results.TagIntended, 5), at(first, 0, results.TagActual, 1),
				at(first, 1, results.TagActual, 2, 3),
			},
		},
		results.Recording{
			second,
			[]results.Interval{at(second, 1, results.TagActual, 4), at(second, 2, results.TagActual, 6)},
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		n     int
		tag   string
		count int64
	}{{0, results.TagIntended, 1}, {0, results.TagActual, 1}, {1, results.TagActual, 3}, {2, results.TagActual, 1}}
	if len(got) != len(want) {
		t.Fatalf("%d intervals, want %d: %+v", len(got), len(want), got)
	}
	for i, w := range want {
		from := first.Add(time.Duration(w.n) * length)
		early := from.Sub(got[i].Start)
		if got[i].Tag != w.tag || got[i].Histogram.TotalCount() != w.count || early < 0 || early > time.Millisecond ||
			got[i].End.Sub(got[i].Start) != length {
			t.Errorf("interval %d: %s from %v to %v with %d, want %+v", i, got[i].Tag, got[i].Start, got[i].End,
				got[i].Histogram.TotalCount(), w)
		}
	}
	if _, err := results.EncodeHlog(got); err != nil {
		t.Error(err)
	}
}
