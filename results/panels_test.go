package results_test

import (
	"fmt"
	"slices"
	"testing"

	"dpukv/results"
	"dpukv/results/resultstest"
)

// several has a line of three loads for each placement, number of server threads and testbed.
func several(placements, threads, testbeds int) (points []results.Point) {
	for i := range placements * threads * testbeds {
		points = append(points, resultstest.Curve(1e6, []int{1, 2, 4}, 1, func(p *results.Point) {
			p.Placement = []string{"CH-SH", "CD-SH", "CH-SD", "CD-SD", "CDH-SH", "L-CD-SH", "own"}[i%placements]
			p.ServerThreads = 1 << (i / placements % threads)
			p.EmulatedTestbed = []string{"BF-2", "BF-3"}[i/placements/threads]
		})...)
	}
	return points
}

func TestPanels(t *testing.T) {
	for _, row := range []struct {
		placements, threads, testbeds int
		want                          []string // panels: title, lines
	}{
		{6, 1, 1, []string{" 6"}},
		{6, 2, 1, []string{"1 server thread 6", "2 server threads 6"}},
		{3, 2, 2, []string{"emulated testbed: BF-2 6", "emulated testbed: BF-3 6"}},
		{6, 2, 2, []string{
			"1 server thread, emulated testbed: BF-2 6", "2 server threads, emulated testbed: BF-2 6",
			"1 server thread, emulated testbed: BF-3 6", "2 server threads, emulated testbed: BF-3 6",
		}},
		{7, 1, 1, []string{"lines 1 to 6 of 7 6", "lines 7 to 7 of 7 1"}},
	} {
		points := several(row.placements, row.threads, row.testbeds)
		chart := results.Charts(points)[0]
		var got []string
		marks := 0
		for _, c := range slices.Concat(chart.Panels()...) {
			got = append(got, fmt.Sprint(c.Title, " ", len(c.Lines)))
			marks += len(c.Points())
		}
		if !slices.Equal(got, row.want) || marks != len(points) {
			t.Errorf("%+v: found %q with %d points of %d", row, got, marks, len(points))
		}
	}
}

// TestPanelsAgree: a label has the same style in all panels, and no panel has it twice.
func TestPanelsAgree(t *testing.T) {
	chart := results.Charts(several(6, 2, 2))[0]
	styles := map[string]int{}
	for _, c := range slices.Concat(chart.Panels()...) {
		seen := map[string]bool{}
		for _, l := range c.Lines {
			if style, known := styles[l.Label]; known && style != l.Style || seen[l.Label] {
				t.Errorf("%s: found style %d, want %d, once", l.Label, l.Style, style)
			}
			styles[l.Label], seen[l.Label] = l.Style, true
		}
	}
	if len(styles) != 6 {
		t.Errorf("found %v, want the six placements", styles)
	}
}
