package table

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"dpukv/results"
)

// writeProbes writes a table for each kind and test: one row a configuration, its repeats
// condensed.
func writeProbes(b *bytes.Buffer, ok []*results.Point) {
	if len(ok) == 0 {
		return
	}
	tests := map[string][]*results.Point{}
	for _, p := range ok {
		name := strings.TrimSpace(p.Measure + " " + p.Settings["test"])
		tests[name] = append(tests[name], p)
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(tests)) {
		fmt.Fprintf(b, "\n%s\n", name)
		rows := probeRows(tests[name])
		lines := layOut(probeColumns(tests[name], rows), rows)
		for _, line := range lines {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
		all = append(all, lines...)
	}
	b.WriteString("\nMedians of the repeats " + spreads(all) + ".\n")
	writeEmulated(b, ok)
}

// probeRows groups probes by configuration: in the order of places, then of settings.
func probeRows(points []*results.Point) (rows [][]*results.Point) {
	rows = results.GroupBy(points, results.ProbeKey)
	names := settingNames(points)
	slices.SortStableFunc(rows, func(x, y []*results.Point) int {
		a, b := x[0], y[0]
		place := cmp.Or(cmp.Compare(a.Placement, b.Placement), cmp.Compare(a.Submode, b.Submode))
		if place != 0 {
			return place
		}
		for _, name := range names {
			if c := compareValues(a.Settings[name], b.Settings[name]); c != 0 {
				return c
			}
		}
		return 0
	})
	return rows
}

// compareValues compares numbers by size, and words by letters.
func compareValues(a, b string) int {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX == nil && errY == nil {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(a, b)
}

func settingNames(points []*results.Point) []string {
	seen := map[string]bool{}
	for _, p := range points {
		for name := range p.Settings {
			seen[name] = name != "test"
		}
	}
	maps.DeleteFunc(seen, func(_ string, shown bool) bool { return !shown })
	return slices.Sorted(maps.Keys(seen))
}

// probeColumns are the place, the settings, and the figures that any of the points has.
func probeColumns(points []*results.Point, rows [][]*results.Point) []column {
	list := []column{{
		head: [2]string{"place"}, left: true,
		cell: value(func(p *results.Point) string { return p.Placement }),
	}}
	if slices.ContainsFunc(points, func(p *results.Point) bool { return p.Submode != "" }) {
		list = append(list, column{
			head: [2]string{"submode"}, left: true,
			cell: value(func(p *results.Point) string { return p.Submode }),
		})
	}
	for _, name := range settingNames(points) {
		first, second := headOf(name)
		list = append(list, column{
			head: [2]string{first, second},
			cell: value(func(p *results.Point) string { return p.Settings[name] }),
		})
	}
	if !sameRepeats(rows) {
		list = append(list, column{head: [2]string{"repeats"}, cell: howMany})
	}
	for _, name := range results.FigureNames(points) {
		list = append(list, figureColumn(name))
	}
	return list
}

// figureColumn is a figure in a unit that suits its name.
func figureColumn(name string) column {
	m := results.FigureMetric(name)
	m.Column = &results.Column{Head: [2]string{m.Title, m.Unit.Cell.Name}}
	return column{head: m.Column.Head, cell: metricCell(m)}
}

// headOf is a setting's name on two lines.
func headOf(name string) (first, second string) {
	first, second, _ = strings.Cut(name, "_")
	return first, strings.ReplaceAll(second, "_", " ")
}
