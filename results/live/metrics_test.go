package live

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"dpukv/results"
	"dpukv/results/resultstest"
)

func TestMetrics(t *testing.T) {
	s, dir := served(t)
	if _, body := get(t, s.URL()+"metrics"); !strings.Contains(body, `dpukv_sweep_points{state="asked"} 9`) {
		t.Errorf("before the sweep began: %s", body)
	}
	add(t, begin(t, dir), resultstest.Curve(1e6, []int{1, 2}, 3, func(p *results.Point) {
		p.Emulated, p.Provider, p.Transport, p.Warnings = true, "shm", "rdma", results.ReadWarnings("so so")
	})...)
	_, body := get(t, s.URL()+"metrics")
	for _, want := range []string{
		`dpukv_sweep_points{state="measured"} 6`, `emulated="true"`, `get_ratio="0.95"`, `measure="p999"`,
		"dpukv_throughput_ops_per_second{",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in\n%s", want, body)
		}
	}
	if n := strings.Count(body, "dpukv_doubtful_repeats{"); n != 2 || strings.Count(body, "} 3\n") < 2 {
		t.Errorf("%d configurations with warnings, want 2 with 3 each", n)
	}
	problems, err := testutil.CollectAndLint(collector{s.folder})
	if err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
}
