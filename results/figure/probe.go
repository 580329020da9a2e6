package figure

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"dpukv/internal/numfmt"
	"dpukv/results"
	"dpukv/results/hitrate"
	"dpukv/results/offload"
	"dpukv/results/probechart"
)

// probeFigure is a figure of probes.
type probeFigure struct {
	chart    probechart.Chart
	panels   []*probePanel
	layout   Layout
	machines []string
}

// probeFigures are the figures of all kinds of probes, or the one of the study.
func (o *Options) probeFigures(
	probes []results.Point, nodes probechart.Nodes,
) ([]*probeFigure, error) {
	metrics := o.probeMetrics()
	var charts []probechart.Chart
	if o.Probes != 0 {
		c, err := probechart.Study(o.Probes, probes, nodes, metrics[0])
		if err != nil {
			return nil, err
		}
		charts = append(charts, *c)
	} else {
		charts = probechart.Charts(probes, metrics)
	}
	var figures []*probeFigure
	for i := range charts {
		figures = append(figures, o.probeFigure(&charts[i]))
	}
	return figures, nil
}

// besideFigures draw hit rates, if GETs may miss, and the CPU time of hosts, if a part ran on a
// DPU. There is none of the study.
func (o *Options) besideFigures(points []results.Point, machines []string) (list []drawable) {
	if o.Study != nil {
		return nil
	}
	charts := append(hitrate.Charts(points), offload.Of(points).Charts...)
	for i := range charts {
		f := o.probeFigure(&charts[i])
		f.machines = machines
		list = append(list, f)
	}
	return list
}

// probeMetrics are the chosen latency metrics, or else the median: probes measure an idle system.
func (o *Options) probeMetrics() []*results.Metric {
	if len(o.Metrics) > 0 {
		return o.Metrics
	}
	return []*results.Metric{results.NamedMetric("p50")}
}

func (o *Options) probeFigure(c *probechart.Chart) *probeFigure {
	f := &probeFigure{chart: *c, layout: o.Layout}
	f.chart.X.Log, f.chart.Y.Log = c.X.Log || o.LogX, c.Y.Log || o.LogY
	var all []probechart.Line
	for i := range c.Panels {
		all = append(all, c.Panels[i].Lines...)
	}
	for i := range c.Panels {
		p := &probePanel{chart: &f.chart, panel: &f.chart.Panels[i], ranged: c.Panels[i].Lines}
		if o.SharedAxes || len(p.ranged) == 0 {
			p.ranged = all
		}
		f.panels = append(f.panels, p)
	}
	return f
}

func (f *probeFigure) name() string { return f.chart.Stem }

func (f *probeFigure) page() (*page, error) {
	s := newStyle(&f.layout)
	var cells []cell
	var entries []entry
	for _, p := range f.panels {
		cells = append(cells, p)
		for i := range p.panel.Lines {
			entries = append(entries, entry{p.panel.Lines[i].Label, p.panel.Lines[i].Style})
		}
	}
	g, err := gridOf(cells, rowsOf(f.chart.Rows, len(cells)), true, s)
	if err != nil {
		return nil, err
	}
	l := legendOf(entries, len(cells) > 1, s)
	return newPage(s, f.shownTitle(), l, g, f.conditions()), nil
}

// rowsOf is the number of rows of panels that have no rows of their own: at most three panels stand
// side by side.
func rowsOf(rows, panels int) int {
	if rows > 1 || panels <= 3 {
		return rows
	}
	for _, columns := range []int{3, 2} {
		if panels%columns == 0 {
			return panels / columns
		}
	}
	return panels
}

func (f *probeFigure) shownTitle() string { return f.layout.title(f.chart.Title) }

// conditions are the lines below the figure, as those of a figure of stores.
func (f *probeFigure) conditions() []string {
	points := f.chart.Points()
	var said []string
	if f.shownTitle() != f.chart.Title {
		said = append(said, f.chart.Title)
	}
	if labels := f.labels(); len(labels) == 1 {
		said = append(said, labels[0])
	}
	for _, text := range f.chart.Common {
		if !slices.Contains(said, text) {
			said = append(said, text)
		}
	}
	said = append(said, f.machines...)
	said = append(said, f.repeats(), emulatedNote(points))
	said = append(said, f.chart.Notes...)
	said = append(said, warnings(points, len(f.chart.Failed)))
	return slices.DeleteFunc(said, func(s string) bool { return s == "" })
}

// labels are the labels of all lines, each once.
func (f *probeFigure) labels() []string {
	var labels []string
	for _, p := range f.panels {
		for i := range p.panel.Lines {
			if l := p.panel.Lines[i].Label; !slices.Contains(labels, l) {
				labels = append(labels, l)
			}
		}
	}
	return labels
}

func (f *probeFigure) repeats() string {
	var counts []int
	for _, p := range f.panels {
		for i := range p.panel.Lines {
			for _, m := range p.panel.Lines[i].Marks {
				counts = append(counts, len(m.Repeats))
			}
		}
	}
	return repeatsText(slices.Min(counts), slices.Max(counts), measurementPeriod(f.chart.Points()))
}

// emulatedNote counts the emulated points.
func emulatedNote(points []*results.Point) string {
	n := results.Count(points, (*results.Point).IsEmulated)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("emulated, not hardware: %d of %s", n, numfmt.Count(len(points), "point"))
}

// csv is the figure's numbers, in base units.
func (f *probeFigure) csv() ([]byte, error) {
	x, y := f.chart.X.Name, f.chart.Y.Name
	rows := [][]string{{
		"panel", "line", x, "repeats", y + "_median", y + "_min", y + "_max", "emulated",
	}}
	for _, p := range f.panels {
		for i := range p.panel.Lines {
			l := &p.panel.Lines[i]
			for _, m := range l.Marks {
				emulated := slices.ContainsFunc(m.Repeats, (*results.Point).IsEmulated)
				rows = append(rows, []string{
					p.panel.Heading, l.Label, number(m.X.Median), strconv.Itoa(len(m.Repeats)),
					number(m.Y.Median), number(m.Y.Min), number(m.Y.Max), mark01(emulated),
				})
			}
		}
	}
	return encodeRows(rows)
}

// number writes up to three decimals, as a latency of a cache has.
func number(x float64) string {
	return numfmt.Plain(math.Round(x*1e3) / 1e3)
}
