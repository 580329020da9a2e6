package offload

import (
	"dpukv/internal/numfmt"
	"dpukv/results"
	"dpukv/results/probechart"
)

// parts has a row for each part that an operation passes, at the peak of each line.
func parts(
	lines []results.Line, configuration func(*results.Line) string,
) *probechart.Table {
	t := &probechart.Table{
		Title: "CPU time of each part at the peak of each line",
		Rows: [][]string{{
			"placement", "configuration", "part", "node", "ns/op", "of it polling without work",
		}},
	}
	for i := range lines {
		l := &lines[i]
		peak := l.Peak()
		for at := range peak.Repeats[0].Parts {
			t.Rows = append(t.Rows, append(
				[]string{placement(peak), configuration(l)}, partRow(peak, at)...))
		}
	}
	return t
}

// partRow is about a part by its place in the list, which all repeats share.
func partRow(m *results.Mark, at int) []string {
	of := func(p *results.Point) results.Part {
		if at < len(p.Parts) {
			return p.Parts[at]
		}
		return results.Part{}
	}
	ns := results.SpreadBy(m.Repeats, func(p *results.Point) float64 { return of(p).CPUNsPerOp })
	spun := results.SpreadBy(m.Repeats, func(p *results.Point) float64 { return of(p).SpunNsPerOp })
	part := of(m.Repeats[0])
	row := []string{part.Part, part.Node.Node, numfmt.Digits3(ns.Median), "–"}
	if row[1] == "" { // of several clients
		row[1] = "–"
	}
	if spun.Max > 0 {
		row[3] = numfmt.Digits3(spun.Median)
	}
	return row
}
