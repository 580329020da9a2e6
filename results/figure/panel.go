package figure

import (
	"math"
	"slices"

	"dpukv/internal/numfmt"
	"dpukv/results"
)

// panel is one chart for one latency metric, with axes of its own.
type panel struct {
	chart     *results.Chart
	metric    *results.Metric
	heading   string // above the panel; "": none
	bound     *results.Bound
	logX      bool
	logY      bool
	clip      bool    // outliers become arrows at the axis's end
	extent    *extent // what the axes have to show
	x, y      numfmt.Unit
	decorated bool // with numbers at the marks, and rings at the knees
}

func (p *panel) head() string { return p.heading }

// extent has the values that axes have to show, in base units: operations a second, nanoseconds.
type extent struct {
	x, y         []float64 // the greatest value of each mark's range
	left, bottom float64   // the least ones
}

// extentOf collects the values of panels.
func extentOf(panels ...*panel) *extent {
	e := &extent{left: math.Inf(1), bottom: math.Inf(1)}
	for _, p := range panels {
		for i := range p.chart.Lines {
			for j := range p.chart.Lines[i].Marks {
				m := &p.chart.Lines[i].Marks[j]
				x, y := m.Throughput(), m.Of(p.metric)
				e.x, e.y = append(e.x, x.Max), append(e.y, y.Max)
				e.left, e.bottom = min(e.left, x.Min), min(e.bottom, y.Min)
			}
		}
	}
	return e
}

// top is the greatest latency on the axis, and the number of marks that reach beyond it.
func (p *panel) top() (ns float64, beyond int) {
	if !p.clip || p.logY {
		return slices.Max(p.extent.y), 0
	}
	return results.AxisLimit(p.extent.y)
}

// end is the end of a linear latency axis, in nanoseconds. Arrows need more room above the marks.
func (p *panel) end() float64 {
	top, beyond := p.top()
	end := top * 1.1
	if beyond > 0 {
		end = top * 1.25
	}
	if p.bound != nil {
		end = max(end, p.bound.Ns*1.1)
	}
	return end
}

// clipped is the number of the panel's marks that reach beyond the axis.
func (p *panel) clipped() int {
	if _, beyond := p.top(); beyond == 0 {
		return 0
	}
	n := 0
	for _, y := range extentOf(p).y {
		if y > p.end() {
			n++
		}
	}
	return n
}

// setAxes gives panels their axes. Panels of one metric have the same units, and with shared axes
// the same ranges.
func setAxes(panels []*panel, shared bool) {
	for _, p := range panels {
		sameMetric := slices.DeleteFunc(slices.Clone(panels), func(o *panel) bool {
			return o.metric != p.metric
		})
		all := extentOf(sameMetric...)
		p.x = results.Throughput.Unit.Axis.Unit(slices.Max(all.x))
		p.y = p.metric.Unit.Axis.Unit(slices.Max(all.y))
		p.extent = all
		if !shared {
			p.extent = extentOf(p)
		}
	}
}

// curve is a line of a chart in the units of its panel.
type curve struct {
	*results.Line
	x, y []results.Spread
}

// curves converts the chart's lines.
func (p *panel) curves() []curve {
	var curves []curve
	for i := range p.chart.Lines {
		c := curve{Line: &p.chart.Lines[i]}
		for j := range c.Marks {
			c.x = append(c.x, c.Marks[j].Throughput().Per(p.x.Per))
			c.y = append(c.y, c.Marks[j].Of(p.metric).Per(p.y.Per))
		}
		curves = append(curves, c)
	}
	return curves
}
