package compare

import (
	"strings"
	"testing"
)

func TestParseMetrics(t *testing.T) {
	got, err := ParseMetrics("throughput, p99.9,actual_p50,latency_mean_ns,server_cpu")
	if err != nil || len(got) != 5 || got[1].Name != "latency_p999_ns" || got[2].Name != "actual_latency_p50_ns" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := ParseMetrics("p50,p99,latency_p50_ns"); err == nil ||
		!strings.Contains(err.Error(), `"latency_p50_ns" twice`) {
		t.Errorf("%v, want an error that names what is there twice", err)
	}
	for _, bad := range []string{"", "p42", "p50,,p99"} {
		if _, err := ParseMetrics(bad); err == nil || !strings.Contains(err.Error(), "throughput, mean, p50") {
			t.Errorf("%q: %v, want an error that lists what there is", bad, err)
		}
	}
}
