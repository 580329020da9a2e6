package figure

import (
	"fmt"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
)

// outlier returns points of which one has a latency far above all others.
func outlier() []results.Point {
	points := resultstest.Curve(5e6, []int{1, 2, 3, 4, 5, 6, 7, 8}, 1)
	points[3].Latency = resultstest.Latency(123456e3)
	return points
}

// ends returns the ends of the axes of all panels: throughput, latency.
func ends(t *testing.T, figures []*figure) (list [][2]float64) {
	t.Helper()
	for _, f := range figures {
		for _, p := range f.panels {
			pl := must.Get(p.plot(newStyle(&Layout{}), vg.Point{X: 300, Y: 200}))(t)
			list = append(list, [2]float64{pl.X.Max, pl.Y.Max})
		}
	}
	return list
}

func TestOutlierDoesNotFlattenTheAxis(t *testing.T) {
	const note = "arrow: beyond the axis, with the greatest value, in 1 mark"
	for name, c := range map[string]struct {
		o       Options
		clipped bool
	}{
		"by default":     {Options{}, true},
		"with --no-clip": {Options{NoClip: true}, false},
		"logarithmic":    {Options{LogY: true}, false},
	} {
		t.Run(name, func(t *testing.T) {
			c.o.Metrics = metrics(t, "p50")
			figures := must.Get(c.o.figures(outlier()))(t)
			end := ends(t, figures)[0][1]
			if (end < 123) != c.clipped {
				t.Errorf("the axis ends at %v", end)
			}
			svg := must.Get(encodeAs("svg")(figures[0]))(t)
			said := string(svg)
			if strings.Contains(said, note) != c.clipped || strings.Contains(said, ">123<") != c.clipped {
				t.Errorf("the note or the value is there, or is missing: %s", figures[0].conditions())
			}
		})
	}
}

// An outlier among the repeats of a mark shortens its bar, and the mark stays.
func TestOutlierAmongRepeats(t *testing.T) {
	points := resultstest.Curve(5e6, []int{1, 2, 3, 4, 5, 6, 7, 8}, 3)
	points[4].Latency = resultstest.Latency(50e6)
	figures := must.Get((&Options{Metrics: metrics(t, "p50")}).figures(points))(t)
	if end := ends(t, figures)[0][1]; end > 500 || figures[0].panels[0].clipped() != 1 {
		t.Errorf("the axis ends at %v, with %d marks beyond it", end, figures[0].panels[0].clipped())
	}
}

func TestSharedAxes(t *testing.T) {
	points := studyPoints()
	for _, shared := range []bool{false, true} {
		figures := must.Get((&Options{Metrics: metrics(t, "p99"), SharedAxes: shared, NoClip: true}).figures(points))(t)
		different := 0
		all := ends(t, figures)
		for _, e := range all {
			if e != all[0] {
				different++
			}
		}
		if (different == 0) != shared {
			t.Errorf("shared axes: %v, %d of %d panels have other axes than the first", shared, different, len(all))
		}
	}
}

// TestRowByRow: columns of one length stand row by row, others beside each other.
func TestRowByRow(t *testing.T) {
	c := func(titles ...string) (column []results.Chart) {
		for _, title := range titles {
			column = append(column, results.Chart{Title: title})
		}
		return column
	}
	for want, columns := range map[string][][]results.Chart{
		"2: a c b d": {c("a", "b"), c("c", "d")}, "1: a b c": {c("a", "b"), c("c")},
		"1: a b": {c("a", "b")}, "1: a c": {c("a"), c("c")},
	} {
		charts, rows := rowByRow(columns)
		got := fmt.Sprint(rows, ":")
		for _, chart := range charts {
			got += " " + chart.Title
		}
		if got != want {
			t.Errorf("found %s, want %s", got, want)
		}
	}
}
