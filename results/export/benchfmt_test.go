package export

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"dpukv/results"
	"dpukv/results/resultstest"
)

func TestBenchfmtIsReadByItsOwnReader(t *testing.T) {
	r := benchfmt.NewReader(bytes.NewReader(written(t, "benchfmt", sample())), "run")
	n := 0
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.Result:
			n++
			if got, ok := rec.Value("p99-sec"); !ok || got < 1e-6 || got > 1 {
				t.Errorf("p99 is %v s, %v", got, ok)
			}
			if !strings.HasPrefix(string(rec.Name), "KV/store=MICA/placement=CH-SH/") ||
				rec.GetConfig("transport") != "tcp" {
				t.Errorf("name %s, transport %s", rec.Name, rec.GetConfig("transport"))
			}
		case *benchfmt.SyntaxError:
			t.Error(rec)
		}
	}
	if n != 4 {
		t.Errorf("%d results, want the 4 that are ok", n)
	}
}

// A unit with the name of a point's field has that field's unit.
func TestBenchfmtHasTheFieldsUnits(t *testing.T) {
	offered := func(ops float64) results.Point {
		return resultstest.Point(func(p *results.Point) { p.RateOps = ops })
	}
	for _, c := range []struct {
		points []results.Point
		want   []string
	}{
		{[]results.Point{offered(1.5e6)}, []string{"rate-ops: 1500000\n", "/get_ratio=0.95/"}},
		{[]results.Point{offered(1.5e6), offered(2e6)}, []string{"/rate_ops=1500000 ", "/rate_ops=2000000 "}},
	} {
		text := string(written(t, "benchfmt", c.points))
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
	}
}
