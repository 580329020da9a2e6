package results_test

import (
	"testing"

	"dpukv/results"
	"dpukv/results/resultstest"
)

// parsed is the latency metric of this name.
func parsed(t *testing.T, name string) results.LatencyMetric {
	t.Helper()
	list, err := results.ParseLatencyMetrics(name)
	if err != nil || len(list) != 1 {
		t.Fatalf("%q: %v, %v", name, list, err)
	}
	return list[0]
}

func TestKneePeakAndBound(t *testing.T) {
	p99 := parsed(t, "p99")
	line := results.Lines(resultstest.LocalCurve("local", 1, 2e6, []int{1, 2, 4, 16}, 3))[0]
	knee, ok := line.Knee(p99)
	if !ok || knee.AxisValue != "4" {
		t.Errorf("knee at %+v, %v", knee, ok)
	}
	if peak := line.Peak(); peak.AxisValue != "16" {
		t.Errorf("peak at %s", peak.AxisValue)
	}
	for text, want := range map[string]string{"p99=100ns": "", "p99=1.2ms": "1", "p99=1.7ms": "4", "p99 = 1s": "16"} {
		bound, err := results.ParseBound(text)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if m := line.Within(bound); m != nil {
			got = m.AxisValue
		}
		if got != want {
			t.Errorf("within %v: %q, want %q", bound, got, want)
		}
	}
	rising := results.Lines(resultstest.LocalCurve("local", 1, 2e6, []int{1, 2}, 1))[0]
	if _, ok := rising.Knee(p99); ok {
		t.Error("a line that is still rising has a knee")
	}
}
