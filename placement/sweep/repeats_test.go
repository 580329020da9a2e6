package sweep

import (
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/compare"
	"dpukv/results/resultstest"
)

// TestDefaultSweepCanBeCompared: in each figure, a default sweep compared with itself has a verdict and
// two intervals in each row. All four figures together take one repeat more, and the error says so.
func TestDefaultSweepCanBeCompared(t *testing.T) {
	s := Default()
	var points []results.Point
	for _, pt := range s.Points() {
		points = append(points, resultstest.Point(pt.Asked))
	}
	side := compare.Side{Name: "run", Points: points}
	for name := range strings.SplitSeq(compare.DefaultMetrics, ",") {
		metrics := must.Get(compare.ParseMetrics(name))(t)
		c := must.Get(compare.Compare(side, side, compare.Options{Metrics: metrics}))(t)
		if c.Err() != nil || c.Tested != len(c.Rows) || len(c.Rows) != len(s.Configs()) {
			t.Errorf("%s: %d of %d rows have a verdict, want all of %d configurations: %v", name, c.Tested,
				len(c.Rows), len(s.Configs()), c.Err())
		}
		for i := range c.Rows {
			if r := &c.Rows[i]; r.A.Lo == nil || r.B.Hi == nil || r.Lo == nil {
				t.Fatalf("found no interval in %+v", r)
			}
		}
	}
	c := must.Get(compare.Compare(side, side, compare.Options{}))(t)
	if err := c.Err(); err == nil || !strings.Contains(err.Error(), "too few repeats for 48 figures") ||
		c.Rows[0].Needed != s.Repeats+1 {
		t.Errorf("four figures: %v, needed %d", err, c.Rows[0].Needed)
	}
}

func TestRepeatsUntil(t *testing.T) {
	for text, want := range map[string]float64{"5%": 5, "0.1%": 0.1, "50%": 50, "7.0%": 7, "none": 0} {
		s := parsed(t, "repeats_until: "+text)
		if s.RepeatsUntil != want {
			t.Errorf("%s: found %v", text, s.RepeatsUntil)
		}
	}
	for _, text := range []string{"5", "0%", "0.09%", "50.1%", "-5%", "NaN%", "5 %", "±5%", "soon"} {
		_, err := Parse("s.yaml", []byte("repeats_until: \""+text+"\""))
		must.Fail(t, err, "allowed: a share of the median from 0.1% to 50%")
	}
	s := Default()
	if err := s.RepeatUntil("5%"); err != nil || s.MostRepeats() != 24 || s.Size(1e6) != 4*len(s.Points()) {
		t.Errorf("found %d repeats and %d points, %v", s.MostRepeats(), s.Size(1e6), err)
	}
}

// TestCheckRepeats: a rule that no configuration could meet is refused.
func TestCheckRepeats(t *testing.T) {
	for text, want := range map[string]string{
		"repeats: 1":                      "",
		"repeats_until: 5%":               "",
		"repeats_until: 5%\nrepeats: 2":   "",
		"repeats_until: 5%\nrepeats: 1":   "repeats: found 1 with repeats_until, allowed: at least 2",
		"repeats_until: 5%\nslo: p99=1ms": "repeats_until: found 5% with slo, allowed: none",
	} {
		s := parsed(t, text)
		err := CheckRepeats(&s)
		must.Fail(t, err, want)
	}
}
