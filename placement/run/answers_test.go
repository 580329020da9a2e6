package run

import (
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/placement/sweep"
	"dpukv/results"
)

// measuredPlan returns the plan of one configuration with a peak of 1 Mops. change alters the points
// that its search asks for.
func measuredPlan(t *testing.T, change func(p *results.Point)) *ratePlan {
	t.Helper()
	s := must.Get(sweep.Parse("s.yaml", []byte("slo: p99=20us\nrepeats: 6\nget_ratio: 1\nclient_threads: 1\n")))(t)
	r := must.Get(newRatePlan(&s, s.Configs()))(t)
	for next := s.PeakPoints(r.configs); len(next) > 0; next = r.next() {
		for i := range next {
			p := &results.Point{
				Identity: results.Identity{Status: results.StatusOK},
				Counted:  results.Counted{ThroughputOps: 1e6},
			}
			next[i].Asked(p)
			p.P99Ns = 10_000
			if p.RateOps == 0 && p.Repeat > s.Repeats {
				p.ThroughputOps = 0.95e6
			}
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
		return func(p *results.Point) { p.Warnings = results.ReadWarnings(warning) }
	}
	slowFrom := func(rate float64) func(*results.Point) {
		return func(p *results.Point) {
			if p.RateOps >= rate {
				p.P99Ns = 30_000
			}
		}
	}
	rates := 0 // of a limit that moves
	for name, test := range map[string]struct {
		change func(*results.Point)
		want   string // in the table or the error
	}{
		"a limit that falls": {func(p *results.Point) {
			rates++
			slowFrom(9e5 - 3e3*float64(rates))(p)
		}, "the limit fell while the search measured"},
		"a limit that falls at the end": {func(p *results.Point) {
			slowFrom(8e5)(p)
			if p.Repeat > 6 {
				slowFrom(0)(p)
			}
		}, "measured again at the end, 796.9 kops kept the bound in 0 of 3 points, unlike before"},
		"the slope":         {slowFrom(8e5), "80 %         under 1.2 %"},
		"a peak that falls": {slowFrom(8e5), "the peak fell by 5.00 % while the search measured"},
		"an answer":         {slowFrom(8e5), "30.0 µs at 806.3 kops"},
		"an interval":       {slowFrom(8e5), "796.9 kops  796.9 kops to 806.3 kops  80 %"},
		"the peak":          {func(*results.Point) {}, "So the rate is a lower limit"},
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
			}, "were full or its schedule late in 18 of 18 points",
		},
		"a late schedule": {warned("schedule late: 5 of 9"), "the client may be the limit"},
		"short points":    {warned("too short for p99: 5"), "9 of 9 points at the answer are too short"},
		"the lowest rate": {
			slowFrom(0), "found 30.0 µs at the lowest rate, 100 kops (10 % of the peak), allowed: p99 latency ≤ 20 µs",
		},
		"a low rate": {
			func(p *results.Point) {
				if p.RateOps == 2.5e5 {
					p.P99Ns = 30_000
				}
			}, "found 30.0 µs at 250 kops, and the bound kept at a higher rate, 1 Mops, allowed",
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
	r := must.Get(newRatePlan(measured.sweep, measured.configs))(t)
	var b strings.Builder
	must.Fail(t, r.writeAnswers(&b), "MICA, CH-SH: points are missing")
}

// TestAnswered: thresholds judge the points at the rate that the search found, and no others.
func TestAnswered(t *testing.T) {
	points := measuredPlan(t, func(p *results.Point) {
		if p.RateOps >= 8e5 {
			p.P99Ns = 30_000
		}
	}).answered()
	if len(points) < 6 {
		t.Fatalf("found %d points, want those of six repeats", len(points))
	}
	for i := range points {
		if p := &points[i]; p.RateOps != points[0].RateOps || p.RateOps >= 8e5 || p.P99Ns != 10_000 {
			t.Errorf("found a point at %v operations per second with a p99 of %d ns", p.RateOps, p.P99Ns)
		}
	}
	if none := measuredPlan(t, func(p *results.Point) { p.P99Ns = 30_000 }).answered(); none != nil {
		t.Errorf("found %d points of a search without an answer, want none", len(none))
	}
}
