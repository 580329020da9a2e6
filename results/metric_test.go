package results_test

import (
	"strings"
	"testing"

	"dpukv/results"
)

func TestParseLatencyMetrics(t *testing.T) {
	got, err := results.ParseLatencyMetrics("p50, p99.9,mean")
	if err != nil || len(got) != 3 || got[1].Short != "p999" || got[1].Title != "p99.9 latency" {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{"", "p98", "p50,,p99", "P50"} {
		if _, err := results.ParseLatencyMetrics(bad); err == nil || !strings.Contains(err.Error(), "p50") {
			t.Errorf("%q: %v, want an error that lists what there is", bad, err)
		}
	}
}
