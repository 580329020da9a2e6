package figure

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"dpukv/internal/figstyle"
	"dpukv/results"
)

// curve is a line of a chart in the units of the figure.
type curve struct {
	*results.Line
	x, y []results.Spread
}

// curves converts the chart's lines, and returns the chosen units.
func (f *figure) curves() (curves []curve, x, y unit) {
	mostOps, mostNs := 0.0, 0.0
	for _, p := range f.chart.Points() {
		mostOps, mostNs = max(mostOps, p.ThroughputOps), max(mostNs, f.metric.Ns(p))
	}
	x, y = throughputUnit(mostOps), latencyUnit(mostNs)
	for i := range f.chart.Lines {
		c := curve{Line: &f.chart.Lines[i]}
		for j := range c.Marks {
			c.x = append(c.x, c.Marks[j].Throughput().Per(x.per))
			c.y = append(c.y, c.Marks[j].Latency(f.metric).Per(y.per))
		}
		curves = append(curves, c)
	}
	return curves, x, y
}

// maxAnnotatedLines is the highest number of lines that stay readable with numbers at their marks.
const maxAnnotatedLines = 6

func (f *figure) annotated() bool { return len(f.chart.Lines) <= maxAnnotatedLines }

// plot makes the plot alone, without title, legend and conditions.
func (f *figure) plot(curves []curve, x, y unit) (*plot.Plot, error) {
	p := plot.New()
	styleAxis(&p.X, "throughput ("+x.name+")")
	styleAxis(&p.Y, f.metric.Title+" ("+y.name+")")
	p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = draw.XCenter, draw.YTop
	p.Y.Tick.Label.XAlign, p.Y.Tick.Label.YAlign = draw.XRight, draw.YCenter

	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = figstyle.GridInk, figstyle.GridInk
	p.Add(grid)
	for i := range curves {
		if err := curves[i].addTo(p); err != nil {
			return nil, err
		}
	}
	if f.annotated() {
		p.Add(annotations{curves})
	}
	p.Add(knees{f, curves})
	if f.bound != nil {
		p.Add(boundLine{f.bound, y})
	}
	f.setRange(p, curves)
	if f.bound != nil {
		p.Y.Max = max(p.Y.Max, f.bound.Ns/y.per*1.1)
	}
	return p, nil
}

func styleAxis(a *plot.Axis, label string) {
	a.Label.Text, a.Label.TextStyle = label, figstyle.AxisText
	a.Label.TextStyle.XAlign = draw.XCenter
	a.Label.Padding = vg.Points(4)
	a.Tick.Label = tickText
	a.Tick.Marker = linearTicks{most: 8}
	a.Color, a.Width = figstyle.Ink, vg.Points(0.7)
	a.Tick.Color, a.Tick.Width = figstyle.Ink, vg.Points(0.7)
	a.Tick.Length = vg.Points(4)
	a.Padding = 0
}

// setRange starts both axes at zero if they are linear: a cut axis makes small differences look
// large.
func (f *figure) setRange(p *plot.Plot, curves []curve) {
	right, top, left, bottom := 0.0, 0.0, math.Inf(1), math.Inf(1)
	for _, c := range curves {
		for i := range c.x {
			right, left = max(right, c.x[i].Max), min(left, c.x[i].Min)
			top, bottom = max(top, c.y[i].Max), min(bottom, c.y[i].Min)
		}
	}
	p.X.Min, p.X.Max = 0, right*1.06
	p.Y.Min, p.Y.Max = 0, top*1.1
	// A latency of zero has no place on a logarithmic axis.
	if f.logY && bottom > 0 {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, logTicks{}
		p.Y.Min, p.Y.Max = bottom*0.7, top*1.4
	}
	if f.logX && left > 0 {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, logTicks{}
		p.X.Min, p.X.Max = left*0.8, right*1.25
	}
}

// addTo adds the line, the ranges over its repeats and its glyphs, in this order.
func (c *curve) addTo(p *plot.Plot) error {
	data := bars{XYs: make(plotter.XYs, len(c.x))}
	for i := range c.x {
		data.XYs[i] = plotter.XY{X: c.x[i].Median, Y: c.y[i].Median}
		data.XErrors = append(data.XErrors, bar(c.x[i]))
		data.YErrors = append(data.YErrors, bar(c.y[i]))
	}
	line, err := plotter.NewLine(data)
	if err != nil {
		return err
	}
	line.LineStyle = lineStyle(c.Style)
	glyphs, err := plotter.NewScatter(data)
	if err != nil {
		return err
	}
	glyphs.GlyphStyle = glyphStyle(c.Style)
	p.Add(line)
	if err := c.addBars(p, data); err != nil {
		return err
	}
	p.Add(glyphs)
	return nil
}

func (c *curve) addBars(p *plot.Plot, data bars) error {
	if !c.repeated() {
		return nil
	}
	xs, err := plotter.NewXErrorBars(data)
	if err != nil {
		return err
	}
	ys, err := plotter.NewYErrorBars(data)
	if err != nil {
		return err
	}
	style := draw.LineStyle{Color: lineStyle(c.Style).Color, Width: vg.Points(0.7)}
	xs.LineStyle, ys.LineStyle = style, style
	xs.CapWidth, ys.CapWidth = vg.Points(4), vg.Points(4)
	p.Add(xs, ys)
	return nil
}

func (c *curve) repeated() bool {
	for _, m := range c.Marks {
		if len(m.Repeats) > 1 {
			return true
		}
	}
	return false
}

// bars are marks with their ranges, in the form of the library's error bars.
type bars struct {
	plotter.XYs
	plotter.XErrors
	plotter.YErrors
}

// bar is the extent of the range below and above the median.
func bar(s results.Spread) struct{ Low, High float64 } {
	return struct{ Low, High float64 }{s.Median - s.Min, s.Max - s.Median}
}
