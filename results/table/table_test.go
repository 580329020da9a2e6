package table

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
)

func TestTableGolden(t *testing.T) {
	var alikeWarnings []results.Point
	for i, w := range []string{
		"busy for 91 % of the time", "busy for 99.5 % of the time", "too short for p99.9",
		"busy for 91 % of the time",
	} {
		alikeWarnings = append(alikeWarnings, resultstest.LocalPoint(func(p *results.Point) {
			p.Repeat, p.Warnings = i+1, results.ReadWarnings(w)
		}))
	}
	mixed := []results.Point{
		resultstest.LocalPoint(func(p *results.Point) {
			p.Store, p.Placement, p.Submode, p.GetRatio = "herd", "CH-SH", "off-path", 1
		}),
		resultstest.LocalPoint(func(p *results.Point) { p.Placement, p.Submode, p.Repeat = "CH-SH", "sm1", 1 }),
		resultstest.LocalPoint(func(p *results.Point) {
			p.Placement, p.Submode, p.Repeat, p.ThroughputOps = "CH-SH", "sm1", 2, 1.6e6
		}),
		resultstest.LocalPoint(func(p *results.Point) { p.GetRatio, p.Submode, p.Errors, p.Timeouts = 0, "sm5", 3, 1 }),
	}
	computing := []results.Point{resultstest.LocalPoint(), resultstest.LocalPoint(computes)}
	olderBuild := resultstest.Point(func(p *results.Point) { p.Placement = "CD-SH" })
	for name, points := range map[string][]results.Point{
		"compute":      computing,
		"halves":       append(resultstest.SplitPoints(), olderBuild),
		"local":        resultstest.LocalPoints(),
		"openloop":     resultstest.OpenLoopPoints(),
		"mixed":        mixed,
		"warnings":     alikeWarnings,
		"failedonly":   {resultstest.LocalPoint(resultstest.Failed("ssh: connect to host bf3:\nconnection refused\n"))},
		"empty":        nil,
		"single-point": {resultstest.LocalPoint()},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			must.Do(t, Write(&b, points))
			resultstest.Golden(t, "table-"+name+".golden", b.Bytes())
		})
	}
}

// computes makes a point of a client that computes.
func computes(p *results.Point) {
	p.Compute, p.ComputeMeanNs, p.ComputeCPUNsPerOp = 20e3, 21e3, 325
	p.Overlap = results.Overlap{Percent: 73.25, CommNs: 75.1e3, ComputeNs: 63.6e3, OverallNs: 83.5e3}
	p.ClientCPUShare, p.ClientBusyShare, p.ClientCPUNsPerOp, p.Actual = 0.94, 0.38, 556, p.Latency
	p.Stages = results.StagesOf(p, 0, 21e3)
}

// TestTableFits: each line of a table is as wide as the others, and fits a terminal.
func TestTableFits(t *testing.T) {
	for name, points := range map[string][]results.Point{
		"local": resultstest.LocalPoints(), "halves": resultstest.SplitPoints(),
		"open loop": resultstest.OpenLoopPoints(),
	} {
		var b bytes.Buffer
		must.Do(t, Write(&b, points))
		for line := range strings.Lines(b.String()) {
			if got := utf8.RuneCountInString(line) - 1; got > maxWidth {
				t.Errorf("%s: found %d columns, allowed: %d\n%s", name, got, maxWidth, line)
			}
		}
	}
	rows := results.Group(results.Dimensions(), pointers(resultstest.LocalPoints()))
	lines, _ := fit(columns(rows, pointers(resultstest.LocalPoints())), rows)
	for _, line := range lines {
		if got, want := utf8.RuneCountInString(line), utf8.RuneCountInString(lines[0]); got != want {
			t.Errorf("found %d characters, the head has %d:\n%s", got, want, line)
		}
	}
}

func pointers(points []results.Point) []*results.Point {
	ok, _ := results.Split(points)
	return ok
}

// TestConstantColumns: what is the same in all rows stands above them, and something tells the rows
// apart.
func TestConstantColumns(t *testing.T) {
	for name, test := range map[string]struct {
		points []results.Point
		first  string // of the table's head
	}{
		"one point":     {[]results.Point{resultstest.LocalPoint()}, "store"},
		"offered rates": {resultstest.OpenLoopPoints(), "offered"},
		"curves":        {resultstest.LocalPoints(), "GET"},
	} {
		var b bytes.Buffer
		must.Do(t, Write(&b, test.points))
		constant, table, found := strings.Cut(b.String(), "\n\n")
		if !found || !strings.HasPrefix(constant, "All rows: ") {
			t.Errorf("%s: found no constants:\n%s", name, b.String())
		}
		if head := strings.Fields(table)[0]; head != test.first {
			t.Errorf("%s: found first column %s, want %s", name, head, test.first)
		}
	}
}
