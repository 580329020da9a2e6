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
	for i := range lines {
		l := &lines[i]
		if alone := withoutNeighbour(l, lines); alone != nil {
			for j := range l.Marks {
				if m := sameLoad(&l.Marks[j], alone); m != nil {
					row := neighbourRow(l, &l.Marks[j], m)
					t.Rows = append(t.Rows, slices.Insert(row, 1, configuration(l, lines)))
				}
			}
		}
	}
	if len(t.Rows) == 1 {
		return nil
	}
	return t
}

// withoutNeighbour is the line of the same placement without a neighbour; nil: there is none, or
// the line itself has no neighbour.
func withoutNeighbour(l *results.Line, lines []results.Line) *results.Line {
	p := first(l)
	if p.Neighbour == "" {
		return nil
	}
	dims := results.Named("neighbour")
	for i := range lines {
		o := first(&lines[i])
		if o.Neighbour == "" && samePlace(o, p) &&
			request(&lines[i], dims...) == request(l, dims...) {
			return &lines[i]
		}
	}
	return nil
}

func samePlace(a, b *results.Point) bool {
	return !slices.ContainsFunc(placed, func(d *results.Dimension) bool {
		return d.Text(a) != d.Text(b)
	})
}

// sameLoad is the mark at the same place on the axis; nil: there is none.
func sameLoad(m *results.Mark, on *results.Line) *results.Mark {
	for i := range on.Marks {
		if on.Marks[i].AxisValue == m.AxisValue {
			return &on.Marks[i]
		}
	}
	return nil
}

func neighbourRow(l *results.Line, with, alone *results.Mark) []string {
	p99 := func(m *results.Mark) results.Spread {
		return results.SpreadBy(m.Repeats, func(p *results.Point) float64 {
			return float64(p.P99Ns)
		})
	}
	work := results.SpreadBy(with.Repeats, func(p *results.Point) float64 {
		return p.NeighbourOpsPerS / 1e6
	})
	a, b := p99(with), p99(alone)
	return []string{
		placement(with), at(l, with), micros("p99", alone), micros("p99", with),
		ratio(a, b), ratio(with.Throughput(), alone.Throughput()),
		numfmt.Digits3(work.Median),
	}
}
