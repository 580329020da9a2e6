package results

import (
	"cmp"
	"fmt"
	"slices"
)

// MaxPanelLines is the number of lines that a reader follows in one panel.
const MaxPanelLines = 6

// Panels are the charts that stand beside each other in place of one, with titles of their own: a
// column for each testbed, whose charts have at most [MaxPanelLines] lines. Placements stay
// together where they can.
func (c *Chart) Panels() (columns [][]Chart) {
	for _, column := range c.by(Named("emulated_testbed", "machine")...) {
		columns = append(columns, column.divided())
	}
	columns[0][0].Failed = c.Failed
	return columns
}

// divided divides a chart by the last dimension that makes the panels small enough, or else line by
// line.
func (c *Chart) divided() []Chart {
	if len(c.Lines) <= MaxPanelLines {
		return []Chart{*c}
	}
	points := c.Points()
	together := append(Named("store", "placement", "loop"), c.axes()...)
	all := Varying(Without(dimensions, together), points)
	all = slices.DeleteFunc(all, func(d *Dimension) bool {
		return slices.ContainsFunc(points, func(p *Point) bool { return d.label(p) == "" })
	})
	for i := range all {
		panels := c.by(all[len(all)-1-i])
		if most(panels) > MaxPanelLines {
			continue
		}
		for j := range panels {
			panels[j].Title = joinTitles(panels[j].Title, c.Title)
		}
		return panels
	}
	var panels []Chart
	for first := 0; first < len(c.Lines); first += MaxPanelLines {
		part := *c
		part.Lines = c.Lines[first:min(first+MaxPanelLines, len(c.Lines))]
		part.Title = joinTitles(fmt.Sprintf("lines %d to %d of %d", first+1,
			first+len(part.Lines), len(c.Lines)), c.Title)
		panels = append(panels, part)
	}
	return panels
}

// by makes a chart for each value of the dimensions that vary. Its lines do not repeat the value.
// If none varies, the chart stays as it is, without a title.
func (c *Chart) by(ds ...*Dimension) []Chart {
	points := c.Points()
	ds = Varying(ds, points)
	if len(ds) == 0 {
		alone := *c
		alone.Title = ""
		return []Chart{alone}
	}
	drawer := newLineDrawer(Without(dimensions, append(Named("store"), ds...)), axisOf, points)
	var charts []Chart
	for _, g := range Group(ds, points) {
		title := cmp.Or(Labels(ds, g[0]), "no "+ds[0].Title())
		charts = append(charts, Chart{Stem: c.Stem, Title: title, Lines: drawer.lines(g)})
	}
	return charts
}

func (c *Chart) axes() (list []*Dimension) {
	for i := range c.Lines {
		list = append(list, c.Lines[i].Axis)
	}
	return list
}

func most(charts []Chart) (lines int) {
	for i := range charts {
		lines = max(lines, len(charts[i].Lines))
	}
	return lines
}

// joinTitles puts the testbed last, if there are several.
func joinTitles(own, testbed string) string {
	if testbed == "" {
		return own
	}
	return own + ", " + testbed
}
