package probechart

import (
	"slices"
	"strings"

	"dpukv/results"
)

// AxisOf is the axis of a metric of stores.
func AxisOf(m *results.Metric) Axis {
	return Axis{Name: m.Name, Title: m.Title, Quantity: OfMetric, Unit: m.Unit.Cell}
}

// Beside makes a chart without panels that stands beside one of a store's latency, about something
// else of the same points.
func Beside(of *results.Chart, stem, about string, x, y Axis) Chart {
	return Chart{
		Stem: of.Stem + "-" + stem, Title: about + ", " + of.Title, Rows: 1, X: x, Y: y,
		Common: common(of), Failed: of.Failed,
	}
}

// LinesOf are the lines of a chart of stores, with those of its marks that have both figures. It
// leaves out lines of fewer marks than the least.
func LinesOf(
	of *results.Chart, least int, figures func(*results.Mark) (x, y results.Spread, has bool),
) (lines []Line) {
	for i := range of.Lines {
		from := &of.Lines[i]
		l := Line{Label: from.Label, Style: from.Style}
		for j := range from.Marks {
			m := &from.Marks[j]
			if x, y, has := figures(m); has {
				l.Marks = append(l.Marks, Mark{X: x, Y: y, Repeats: m.Repeats})
			}
		}
		if len(l.Marks) >= least {
			lines = append(lines, l)
		}
	}
	return lines
}

// common names the axes of the lines, and what all points share besides the title.
func common(of *results.Chart) (said []string) {
	points := of.Points()
	rest := results.Without(results.Dimensions(), append(results.TitleDimensions(),
		results.Named("machine", "emulated_testbed")...))
	said = append(said, strings.Join(results.Common(rest, points), ", "))
	for i := range of.Lines {
		along := "along a line: " + of.Lines[i].Axis.Title()
		if len(of.Lines[i].Marks) > 1 && !slices.Contains(said, along) {
			said = append(said, along)
		}
	}
	return said
}
