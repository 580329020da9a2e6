package results_test

import (
	"testing"

	"dpukv/results"
)

// TestLowerBoundFrom: 1,000 operations were answered within 1 to 1,000 µs. How many percentiles the
// unsent ones make uncertain depends on their number and age.
func TestLowerBoundFrom(t *testing.T) {
	for name, c := range map[string]struct {
		unsent, ageNs int64
		want          float64
	}{
		"none":            {0, 0, 0},
		"one, just due":   {1, 1000, 100},
		"old":             {2, 2_000_000, 99.9},
		"some, just due":  {4, 1000, 99.9},
		"more, just due":  {20, 1000, 50},
		"some, old":       {20, 2_000_000, 99},
		"half, just due":  {500, 1000, 50},
		"a tenth, old":    {120, 2_000_000, 95},
		"more than those": {2000, 2_000_000, 50},
	} {
		all, unsent := results.NewHistogram(), results.NewHistogram()
		for i := range int64(1000) {
			results.Record(all, (i+1)*1000)
		}
		results.RecordN(all, c.ageNs, c.unsent)
		results.RecordN(unsent, c.ageNs, c.unsent)
		if got := results.LowerBoundFrom(all, unsent); got != c.want {
			t.Errorf("%s: lower bounds from %v, want %v", name, got, c.want)
		}
	}
}

// TestLowerBoundOfADamagedLog: unsent operations without their latencies are no reason to panic.
func TestLowerBoundOfADamagedLog(t *testing.T) {
	all, unsent := results.NewHistogram(), results.NewHistogram()
	results.Record(all, 1000)
	results.RecordN(unsent, 1000, 5)
	results.Record(unsent, 2000)
	if got := results.LowerBoundFrom(all, unsent); got != 50 {
		t.Errorf("lower bounds from %v, want 50", got)
	}
}

// TestLowerBound: the marks go up from the first percentile. The latency from the actual send has
// none, as unsent operations have no actual send.
func TestLowerBound(t *testing.T) {
	for from, want := range map[float64]string{
		0: "", 50: "mean p50 p95 p99 p999 max ", 99: "mean p99 p999 max ", 100: "max ",
	} {
		got := ""
		for _, m := range results.LatencyMetrics() {
			p := &results.Point{LatencyDetail: results.LatencyDetail{LatencyLowerBoundFrom: from}}
			if m.LowerBound(p) {
				got += m.Short + " "
			}
			if m.FromActualSend().LowerBound(p) {
				t.Errorf("%s from the actual send is a lower bound", m.Short)
			}
		}
		if got != want {
			t.Errorf("from %v: lower bounds are %q, want %q", from, got, want)
		}
	}
}
