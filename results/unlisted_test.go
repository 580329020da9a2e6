package results_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"dpukv/results"
	"dpukv/results/resultstest"
)

// TestUnlisted: whoever adds a field to a request lists it among the dimensions, or says here why
// all points of a sweep have one value.
func TestUnlisted(t *testing.T) {
	var names []string
	for _, d := range results.Dimensions() {
		if d.Unlisted() {
			names = append(names, d.Name())
		}
	}
	if got := strings.Join(names, " "); got != "trace_file warmup_ns" { // one file and one warm-up a sweep
		t.Errorf("found %s", got)
	}
}

// TestSplitByUnlisted: points that differ in what no sweep varies are named, and are no repeats.
func TestSplitByUnlisted(t *testing.T) {
	at := func(repeat int, edits ...func(*results.Point)) results.Point {
		return resultstest.Point(append(edits, func(p *results.Point) {
			p.Repeat, p.ID, p.Seed = repeat, fmt.Sprint("r", repeat), uint64(repeat)
		})...)
	}
	long := func(p *results.Point) { p.Warmup = time.Minute }
	busy := func(p *results.Point) { p.ClientThreads = 8 }
	other := func(p *results.Point) { p.TraceFile.SHA256 = "0a1b" }
	for name, c := range map[string]struct {
		points []results.Point
		groups int
		want   string
	}{
		"repeats":       {[]results.Point{at(1), at(2)}, 1, ""},
		"no points":     {nil, 0, ""},
		"more load":     {[]results.Point{at(1), at(2, busy, long)}, 2, ""},
		"one failed":    {[]results.Point{at(1), at(2, long, resultstest.Failed("no answer"))}, 1, ""},
		"other warm-up": {[]results.Point{at(1), at(2, long), at(3)}, 2, `warmup_ns: r1 is "1s", and r2 is "1m0s"`},
		"other trace":   {[]results.Point{at(1), at(2, other)}, 2, `trace_file: r1 is "", and r2 is "0a1b"`},
	} {
		ok, _ := results.Split(c.points)
		groups := results.Group(results.Dimensions(), ok)
		said := results.SplitByUnlisted(c.points)
		if len(groups) != c.groups || (len(said) > 0) != (c.want != "") ||
			!strings.Contains(strings.Join(said, ""), c.want) {
			t.Errorf("%s: found %d groups, %q, want %d, %q", name, len(groups), said, c.groups, c.want)
		}
	}
}
