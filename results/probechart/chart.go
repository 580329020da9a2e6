package probechart

import (
	"slices"

	"dpukv/internal/numfmt"
	"dpukv/results"
)

// Chart is one figure of a kind of probe.
type Chart struct {
	Stem, Title string
	X, Y        Axis
	Panels      []Panel // row by row
	Rows        int
	Common      []string         // settings that all points share, in words
	Notes       []string         // what a reader must know besides
	Failed      []*results.Point // that the chart would show
}

// Axis is an axis of all panels of a chart.
type Axis struct {
	Name     string // of the setting or figure: "block_bytes"
	Title    string
	Quantity Quantity
	Unit     numfmt.Unit
	Log      bool
}

// Label is the axis's title with its unit.
func (a *Axis) Label() string {
	if a.Unit.Name == "" {
		return a.Title
	}
	return a.Title + " (" + a.Unit.Name + ")"
}

// Panel is one plot of a chart.
type Panel struct {
	Heading string // "": none
	Lines   []Line
}

// Line is one configuration along the x axis.
type Line struct {
	Label string
	Style int // a label has the same style in every panel
	Marks []Mark
}

// Mark is the median of repeats.
type Mark struct {
	X, Y    results.Spread
	Repeats []*results.Point // at least one
}

// Points are all points on the lines of the chart.
func (c *Chart) Points() []*results.Point {
	var all []*results.Point
	for _, p := range c.Panels {
		for _, l := range p.Lines {
			for _, m := range l.Marks {
				all = append(all, m.Repeats...)
			}
		}
	}
	return all
}

// Separate is [results.Separate] that reuses the memory of points: runs may have very many.
func Separate(points []results.Point) (stores, probes []results.Point) {
	for i := range points {
		if points[i].IsProbe() {
			probes = append(probes, points[i])
		}
	}
	if probes == nil {
		return points, nil
	}
	isProbe := func(p results.Point) bool { return p.IsProbe() }
	return slices.DeleteFunc(points, isProbe), probes
}

// Charts makes the charts of all kinds of probes among the points. A figure of a latency
// distribution has a chart for each of the metrics.
func Charts(points []results.Point, metrics []*results.Metric) []Chart {
	var charts []Chart
	for _, v := range views(metrics) {
		for i := range v.y {
			if c := v.chart(points, &v.y[i]); c != nil {
				charts = append(charts, *c)
			}
		}
	}
	return charts
}

// split returns the points of the view: those that are ok and have the figure, and those that
// failed.
func (v *view) split(points []results.Point, figure string) (ok, failed []*results.Point) {
	for i := range points {
		p := &points[i]
		if p.Measure != v.measure || !slices.Contains(v.tests, p.Settings["test"]) {
			continue
		}
		_, has := p.Figures[figure]
		switch {
		case p.Status != results.StatusOK:
			failed = append(failed, p)
		case has:
			ok = append(ok, p)
		}
	}
	return ok, failed
}

// chart is the view's chart of one figure; nil: no point has it.
func (v *view) chart(points []results.Point, y *figureAxis) *Chart {
	ok, failed := v.split(points, y.name)
	if len(ok) == 0 {
		return nil
	}
	x := v.xAxis(ok)
	c := &Chart{Stem: v.stem + y.suffix, Title: v.title, Rows: 1, Failed: failed}
	c.setAxes(x, y)
	d := newDrawer(ok, x, y, v.panel)
	for _, value := range panelValues(ok, v.panel) {
		own := slices.DeleteFunc(slices.Clone(ok), func(p *results.Point) bool {
			return v.panel != "" && p.Settings[v.panel] != value
		})
		c.Panels = append(c.Panels, Panel{
			Heading: settingWords(v.panel, value), Lines: d.lines(own, d.label),
		})
	}
	c.Common = d.common(ok[0])
	c.finish()
	return c
}

// panelValues are the values with a panel of their own; one empty value stands for all points.
func panelValues(points []*results.Point, setting string) []string {
	if setting == "" {
		return []string{""}
	}
	return values(points, setting)
}

// xAxis is the first candidate that varies.
func (v *view) xAxis(points []*results.Point) *along {
	for i := range v.along {
		if len(values(points, v.along[i].setting)) > 1 {
			return &v.along[i]
		}
	}
	return &v.along[0]
}

func (c *Chart) setAxes(x *along, y *figureAxis) {
	name := x.setting
	if x.figure != "" {
		name = x.figure
	}
	c.X = Axis{Name: name, Title: x.title, Quantity: x.quantity, Log: x.log}
	c.Y = Axis{Name: y.name, Title: y.title, Quantity: y.quantity, Log: y.log}
}

// finish chooses the units, gives labels their styles, and marks emulated lines.
func (c *Chart) finish() {
	x, y := 0.0, 0.0
	styles := map[string]int{}
	for _, p := range c.Panels {
		for i := range p.Lines {
			l := &p.Lines[i]
			if l.emulated() {
				l.Label += " (emulated)"
			}
			if _, seen := styles[l.Label]; !seen {
				styles[l.Label] = len(styles)
			}
			l.Style = styles[l.Label]
			for _, m := range l.Marks {
				x, y = max(x, m.X.Max), max(y, m.Y.Max)
			}
		}
	}
	c.X.Unit, c.Y.Unit = scales[c.X.Quantity].Unit(x), scales[c.Y.Quantity].Unit(y)
}
