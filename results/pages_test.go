package results_test

import (
	"strings"
	"testing"

	"dpukv/results"
	"dpukv/results/resultstest"
)

// TestSplitByPages: a line whose points lie on several pages is named, with a point of each. Points
// of servers that differ otherwise, and of older builds that told no size, split no line.
func TestSplitByPages(t *testing.T) {
	on := func(pages string, more ...func(*results.Point)) results.Point {
		return resultstest.Point(append(more, func(p *results.Point) {
			p.Pages, p.ID = pages, pages+"-of-"+p.Placement
		})...)
	}
	busy := func(p *results.Point) { p.ClientThreads = 8 }
	other := func(p *results.Point) { p.Placement = "CH-SD" }
	merged := func(p *results.Point) { p.Source = 2 }
	failed := resultstest.Failed("no answer")
	for name, row := range map[string]struct {
		points []results.Point
		want   string
	}{
		"alike":         {[]results.Point{on("4k"), on("4k", busy)}, ""},
		"none":          {nil, ""},
		"not told":      {[]results.Point{on(""), on("4k"), on("")}, ""},
		"older":         {[]results.Point{on("thp"), on("thp-2m")}, ""},
		"other servers": {[]results.Point{on("4k"), on("thp-2m", other)}, ""},
		"other runs":    {[]results.Point{on("4k"), on("thp-2m", merged)}, ""},
		"failed":        {[]results.Point{on("4k"), on("thp-2m", failed)}, ""},
		"split": {
			[]results.Point{on("thp-2m"), on("thp-2m", other), on("4k", busy), on("thp-2m")},
			"found 1 of 3 points on pages 4k, such as 4k-of-CH-SH, and others on pages thp-2m, such as thp-2m-of-CH-SH",
		},
	} {
		said := results.SplitByPages(row.points)
		if len(said) > 1 || (len(said) > 0) != (row.want != "") || !strings.Contains(strings.Join(said, ""), row.want) {
			t.Errorf("%s: found %q, want %q", name, said, row.want)
		}
	}
}
