package offload

import (
	"slices"

	"dpukv/internal/numfmt"
	"dpukv/results"
	"dpukv/results/probechart"
)

// neighbours has a row for each load that was measured with a neighbour and without one; nil: none
// was.
func neighbours(lines []results.Line) *probechart.Table {
	t := &probechart.Table{
		Title: "what a noisy neighbour costs",
		Rows: [][]string{{
			"placement", "configuration", "load", "p99 µs without", "with", "ratio",
			"throughput", "neighbour's Mops",
		}},
	}
	alone := firsts(lines, func(l *results.Line) (key string, has bool) {
		return besideNeighbour(l), first(l).Neighbour == ""
	})
	configuration := configurations(lines)
	for i := range lines {
		l := &lines[i]
		without := alone[besideNeighbour(l)]
		if first(l).Neighbour == "" || without == nil {
			continue
		}
		at := map[string]*results.Mark{} // its place on the axis
		for j := range slices.Backward(without.Marks) {
			at[without.Marks[j].AxisValue] = &without.Marks[j]
		}
		for j := range l.Marks {
			if m := at[l.Marks[j].AxisValue]; m != nil {
				row := neighbourRow(l, &l.Marks[j], m)
				t.Rows = append(t.Rows, slices.Insert(row, 1, configuration(l)))
			}
		}
	}
	if len(t.Rows) == 1 {
		return nil
	}
	return t
}

// besideNeighbour is what a line has in common with that of the same placement without a neighbour.
func besideNeighbour(l *results.Line) string {
	return request(l, results.Named("neighbour")...) + "\x00" + results.Key(placed, first(l))
}

func neighbourRow(l *results.Line, with, alone *results.Mark) []string {
	p99 := results.NamedMetric("p99")
	work := results.SpreadBy(with.Repeats, func(p *results.Point) float64 {
		return p.NeighbourOpsPerS / 1e6
	})
	a, b := with.Of(p99), alone.Of(p99)
	return []string{
		placement(with), at(l, with), micros("p99", alone), micros("p99", with),
		ratio(a, b), ratio(with.Throughput(), alone.Throughput()),
		numfmt.Digits3(work.Median),
	}
}
