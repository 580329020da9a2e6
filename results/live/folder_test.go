package live

import (
	"fmt"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
)

// TestAnswersAreMadeOnce: an answer is made once for any number of readers.
func TestAnswersAreMadeOnce(t *testing.T) {
	s, dir := served(t)
	begin(t, dir)
	for _, path := range []string{"", "data.json", "metrics"} {
		_, first := get(t, s.URL()+path)
		if _, again := get(t, s.URL()+path); again != first {
			t.Errorf("/%s: found another answer", path)
		}
	}
	places := func() string {
		return fmt.Sprintf("%p %p %p", s.folder.page.bytes, s.folder.data.bytes, s.folder.metrics.bytes)
	}
	kept := places()
	for _, path := range []string{"", "data.json", "metrics"} {
		get(t, s.URL()+path)
	}
	if now := places(); now != kept || strings.Contains(now, "0x0") {
		t.Errorf("found %s, made before %s", now, kept)
	}
}

// TestBoundIsShown: the page and its answer have the bound that the command has.
func TestBoundIsShown(t *testing.T) {
	s, dir := served(t)
	bound := must.Get(results.ParseBound("p95=1ms"))(t)
	s.folder.options.Bound = &bound
	add(t, begin(t, dir), resultstest.Curve(1e6, []int{1, 2}, 2)...)
	_, body := get(t, s.URL()+"data.json")
	for _, part := range []string{`"bound":{"measure":"p95","ns":1000000}`, "within p95 latency ≤ 1 ms"} {
		if !strings.Contains(body, part) {
			t.Errorf("found %.300s, want it with %s", body, part)
		}
	}
}
