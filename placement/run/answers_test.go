package run

import (
	"strings"
	"testing"

	"dpukv/placement/sweep"
	"dpukv/results"
)

// measuredPlan returns the plan of one configuration with a peak of 1 Mops. change alters the points
// that its search asks for.
func measuredPlan(t *testing.T, change func(p *results.Point)) *ratePlan {
	t.Helper()
	s, err := sweep.Parse("s.yaml", []byte("slo: p99=20us\nrepeats: 6\nget_ratio: 1\nclient_threads: 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := newRatePlan(&s, s.Configs())
	if err != nil {
		t.Fatal(err)
	}
	for next := s.PeakPoints(r.configs); len(next) > 0; next = r.next() {
		for i := range next {
			p := &results.Point{Status: results.StatusOK, ThroughputOps: 1e6}
			next[i].Asked(p)
			p.P99Ns = 10_000
			if p.RateOps > 0 {
				change(p)
			}
			r.add(p)
		}
	}
	return r
}

func TestAnswers(t *testing.T) {
	warned := func(warning string) func(*results.Point) {
		return func(p *results.Point) { p.Warnings = []string{warning} }
	}
	slowFrom := func(rate float64) func(*results.Point) {
		return func(p *results.Point) {
			if p.RateOps >= rate {
				p.P99Ns = 30_000
			}
		}
	}
	for name, test := range map[string]struct {
		change func(*results.Point)
		want   string // in the table or the error
	}{
		"an answer":   {slowFrom(8e5), "30.0 µs at 806.3 kops"},
		"an interval": {slowFrom(8e5), "796.9 kops  796.9 kops to 806.3 kops  80 %"},
		"the peak":    {func(*results.Point) {}, "So the rate is a lower limit"},
		"a missed rate": {
			func(p *results.Point) {
				if p.RateOps > 6e5 {
					p.UnsentOps = 1000
				}
			}, "rate missed at 60",
		},
		"a full client": {
			func(p *results.Point) {
				slowFrom(8e5)(p)
				p.ClientCPUShare, p.ClientBusyShare = 0.99, 0.99
			}, "were full or its schedule late in 12 of 12 points",
		},
		"a late schedule": {warned("schedule late: 5 of 9"), "the client may be the limit"},
		"short points":    {warned("too short for p99: 5"), "6 of 6 points at the answer are too short"},
		"the lowest rate": {
			slowFrom(0), "found 30.0 µs at the lowest rate, 100 kops (10 % of the peak), allowed: p99 latency ≤ 20µs",
		},
		"a low rate": {
			func(p *results.Point) {
				if p.RateOps == 2.5e5 {
					p.P99Ns = 30_000
				}
			}, "found 30.0 µs at 250 kops, and the bound kept at a higher rate",
		},
	} {
		var b strings.Builder
		err := measuredPlan(t, test.change).writeAnswers(&b)
		if err != nil {
			b.WriteString(err.Error())
		}
		if !strings.Contains(b.String(), test.want) || strings.Contains(b.String(), "no answer") != (err != nil) {
			t.Errorf("%s: found %s\nwant %q", name, b.String(), test.want)
		}
	}
}

func TestAnswerWithoutPoints(t *testing.T) {
	measured := measuredPlan(t, func(*results.Point) {})
	r, err := newRatePlan(measured.sweep, measured.configs)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := r.writeAnswers(&b); err == nil || !strings.Contains(err.Error(), "MICA, CH-SH: points are missing") {
		t.Errorf("got %v", err)
	}
}
