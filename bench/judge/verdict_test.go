package main

import (
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		lo, hi, margin float64
		pairs          int
		refused        string
		want           verdict
	}{
		{.995, 1.004, .01, 100, "", same},
		{.99, 1.01, .01, 100, "", same},
		{1.011, 1.02, .01, 100, "", slower},
		{1.01, 1.02, .01, 100, "", undecided},
		{.95, .98, .01, 100, "", faster},
		{.98, 1, .01, 100, "", undecided},
		{1.2, 1.3, .01, fewest - 1, "", undecided},
		{1.2, 1.3, 0, 100, "", undecided},
		{1.2, 1.3, .01, 100, "busy", refused},
	} {
		r := row{Refused: c.refused, interval: interval{1, c.lo, c.hi, c.pairs}}
		if got := judge(&r, c.margin); got != c.want {
			t.Errorf("%+v: found %q", c, got)
		}
	}
}

func TestReport(t *testing.T) {
	rows := []row{
		{Name: "a cpu", interval: interval{1.05, 1.04, 1.06, 90}, BaseNs: 20, TreeNs: 21, Stolen: 10},
		{Name: "b cpu", interval: interval{1, .999, 1.001, 100}, BaseNs: 8, TreeNs: 8, Instructions: [2]float64{30, 1.01}},
		{Name: "c server", Refused: "other programs used 1.50 CPUs"},
		{Name: "d cpu", interval: interval{1.01, 1, 1.03, 100}},
	}
	margins := map[string]float64{"a cpu": .01, "b cpu": .01, "c server": .01, "d cpu": .02}
	var out strings.Builder
	must.Do(t, report(&out, rows, margins, "no counters: perf_event_open: no such file or directory"))
	must.Contain(t, out.String(), "1.040-1.060", "slower\n", "±1.0 %", "30 (1.010)", "undecided\n", "refused\n",
		"2 of 4 rows decided: 1 slower, 0 faster, 1 within their margin. Undecided: 1. Refused: 1.",
		"Refused: other programs used 1.50 CPUs.", "Left out of 300 pairs: 10 in which", "Instructions: no counters")
}
