package compare

import (
	"errors"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
)

// memory are repeats of a latency and of a bandwidth of memory.
func memory(latency, bandwidth float64) (list []results.Point) {
	for repeat := range 6 {
		jitter := 1 + 0.001*float64(repeat)
		for settings, figures := range map[string]map[string]float64{
			"test=latency block_bytes=1024": {"latency_ns": latency * jitter},
			"test=copy threads=1": {
				"bytes_per_s": bandwidth * jitter, "median_bytes_per_s": bandwidth * jitter,
			},
		} {
			list = append(list, resultstest.StudyProbe("memory", "hostA", settings, figures,
				func(p *results.Point) { p.Repeat = repeat + 1 }))
		}
	}
	return list
}

// TestProbes: each figure of a probe is compared in its better direction.
func TestProbes(t *testing.T) {
	base := memory(80, 10e9)
	for name, c := range map[string]struct {
		b    []results.Point
		want map[string]Verdict
	}{
		"the same":      {memory(80, 10e9), map[string]Verdict{"latency_ns": Same, "bytes_per_s": Same}},
		"slower memory": {memory(120, 10e9), map[string]Verdict{"latency_ns": Worse, "bytes_per_s": Same}},
		"more of it":    {memory(80, 20e9), map[string]Verdict{"latency_ns": Same, "bytes_per_s": Better}},
	} {
		got := must.Get(Compare(Side{Points: base}, Side{Points: c.b}, Options{}))(t)
		if len(got.Rows) != 3 || got.Tested != 3 {
			t.Errorf("%s: %d rows, %d tested", name, len(got.Rows), got.Tested)
		}
		for _, row := range got.Rows {
			if want, told := c.want[row.Metric]; told && row.Verdict != want {
				t.Errorf("%s: %s is %s, want %s", name, row.Metric, row.Verdict, want)
			}
		}
		if text := string(write(t, got)); !strings.Contains(text, "memory hostA block_bytes=1024 test=latency") {
			t.Error(text)
		}
	}
	other := memory(80, 10e9)
	for i := range other {
		other[i].Placement = "hostB"
	}
	if _, err := Compare(Side{Points: base}, Side{Points: other}, Options{}); !errors.Is(err, ErrNothingInCommon) {
		t.Errorf("got %v", err)
	}
}
