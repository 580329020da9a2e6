package probechart

import (
	"slices"
	"strings"

	"dpukv/results"
)

// Throughput is an axis of stores.
var Throughput = Axis{
	Name: "throughput_ops", Title: "throughput", Quantity: Rate,
	Unit: Unit{Name: "Mops", Per: 1e6},
}

// Beside makes a chart without panels that stands beside one of a store's latency, about something
// else of the same points.
func Beside(of *results.Chart, stem, about string, x, y Axis) Chart {
	return Chart{
		Stem: of.Stem + "-" + stem, Title: about + ", " + of.Title, Rows: 1, X: x, Y: y,
		Common: common(of), Failed: of.Failed,
	}
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
