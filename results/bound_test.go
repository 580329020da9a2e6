package results_test

import (
	"testing"

	"dpukv/results"
)

func TestParseBound(t *testing.T) {
	bound, err := results.ParseBound(" p99.9 = 1.5ms")
	if err != nil || bound.Metric.Short != "p999" || bound.Ns != 1.5e6 {
		t.Errorf("got %+v, %v", bound, err)
	}
	if bound.Text() != "p999=1.5ms" {
		t.Errorf("found %q", bound.Text())
	}
	for _, bad := range []string{"", "p99", "p98=1ms", "p99=fast", "p99=-1ms", "p99=0"} {
		if _, err := results.ParseBound(bad); err == nil {
			t.Errorf("%q is taken for a bound", bad)
		}
	}
}
