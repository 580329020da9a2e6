package results_test

import (
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/load"
	"dpukv/results"
	"dpukv/results/resultstest"
)

// TestDistributionsOfSizesAreApart: distributions with one mean, and that mean, are three values.
func TestDistributionsOfSizesAreApart(t *testing.T) {
	var points []results.Point
	for i, sizes := range []string{"", "8-24", "8:1+24:1"} {
		points = append(points, resultstest.Point(func(p *results.Point) {
			p.ValueBytes, p.ValueSizes = 16, load.Sizes(sizes)
			p.ID = "p" + string(rune('a'+i))
		}))
	}
	stems := map[string]bool{}
	for _, c := range results.Charts(points) {
		stems[c.Stem] = true
		if strings.ContainsAny(c.Stem, ":/ ") {
			t.Errorf("%q is no name of a file", c.Stem)
		}
	}
	if len(stems) != 3 {
		t.Errorf("the charts are %v, want one for each distribution", stems)
	}
	for i := range points {
		if err := results.Validate(&points[i]); err != nil {
			t.Error(err)
		}
	}
	points[1].ValueBytes = 17
	must.Fail(t, results.Validate(&points[1]), "value_sizes: found 8-24")
}
