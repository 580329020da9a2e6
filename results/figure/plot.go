package figure

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"dpukv/internal/figstyle"
	"dpukv/results"
)

// plot makes the plot of a panel of about this size, with labels at both axes.
func (p *panel) plot(s *style, size vg.Point) (*plot.Plot, error) {
	curves := p.curves()
	pl := s.newPlot(size, results.Throughput.In(p.x), p.metric.In(p.y))
	p.setRange(pl)
	end := pl.Y.Max
	for i := range curves {
		if err := curves[i].addTo(pl, s, end); err != nil {
			return nil, err
		}
	}
	if p.decorated {
		pl.Add(annotations{curves, s}, knees{p.metric, curves, s})
	}
	if p.clipped() > 0 {
		pl.Add(arrows{curves, s})
	}
	if p.bound != nil {
		pl.Add(boundLine{p.bound, p.y, s})
	}
	p.setRange(pl) // what was added has changed it
	return pl, nil
}

// newPlot is a plot with a grid and the labels of its axes.
func (s *style) newPlot(size vg.Point, x, y string) *plot.Plot {
	pl := plot.New()
	s.styleAxis(&pl.X, x, size.X/s.tick.Font.Size/3.2)
	s.styleAxis(&pl.Y, y, size.Y/s.tick.Font.Size/2.2)
	pl.X.Tick.Label.XAlign, pl.X.Tick.Label.YAlign = draw.XCenter, draw.YTop
	pl.Y.Tick.Label.XAlign, pl.Y.Tick.Label.YAlign = draw.XRight, draw.YCenter
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = figstyle.GridInk, figstyle.GridInk
	pl.Add(grid)
	return pl
}

// styleAxis labels an axis that has room for this number of labels.
func (s *style) styleAxis(a *plot.Axis, label string, room vg.Length) {
	a.Label.Text, a.Label.TextStyle = label, s.axis
	a.Label.TextStyle.XAlign = draw.XCenter
	a.Label.Padding = vg.Points(4) * s.scale
	a.Tick.Label = s.tick
	a.Tick.Marker = linearTicks{most: min(8, max(3, int(room)))}
	a.Color, a.Width = figstyle.Ink, vg.Points(0.7)
	a.Tick.Color, a.Tick.Width = figstyle.Ink, vg.Points(0.7)
	a.Tick.Length = vg.Points(4) * s.scale
	a.Padding = 0
}

// setRange starts both axes at zero if they are linear: a cut axis makes small differences look
// large.
func (p *panel) setRange(pl *plot.Plot) {
	right, left, bottom := 0.0, p.extent.left/p.x.Per, p.extent.bottom/p.y.Per
	for _, x := range p.extent.x {
		right = max(right, x/p.x.Per)
	}
	top, _ := p.top()
	pl.X.Min, pl.X.Max = 0, right*1.06
	pl.Y.Min, pl.Y.Max = 0, p.end()/p.y.Per
	// A latency of zero has no place on a logarithmic axis.
	if p.logY && bottom > 0 {
		pl.Y.Scale, pl.Y.Tick.Marker = plot.LogScale{}, logTicks{}
		pl.Y.Min, pl.Y.Max = bottom*0.7, top/p.y.Per*1.4
		if p.bound != nil {
			pl.Y.Max = max(pl.Y.Max, p.bound.Ns/p.y.Per*1.1)
		}
	}
	if p.logX && left > 0 {
		pl.X.Scale, pl.X.Tick.Marker = plot.LogScale{}, logTicks{}
		pl.X.Min, pl.X.Max = left*0.8, right*1.25
	}
}

// addTo adds the line, the ranges over its repeats and its glyphs, in this order. Glyphs and bars
// end at the end of the latency axis.
func (c *curve) addTo(p *plot.Plot, s *style, end float64) error {
	line, err := plotter.NewLine(c.medians())
	if err != nil {
		return err
	}
	line.LineStyle = s.line(c.Style)
	p.Add(line)
	var data bars
	for i := range c.x {
		if y := c.y[i]; y.Median <= end {
			y.Max = min(y.Max, end)
			data.XYs = append(data.XYs, plotter.XY{X: c.x[i].Median, Y: y.Median})
			data.XErrors = append(data.XErrors, bar(c.x[i]))
			data.YErrors = append(data.YErrors, bar(y))
		}
	}
	if len(data.XYs) == 0 {
		return nil // an arrow stands for each mark
	}
	glyphs, err := plotter.NewScatter(data)
	if err != nil {
		return err
	}
	glyphs.GlyphStyle = s.glyph(c.Style)
	if err := c.addBars(p, s, data); err != nil {
		return err
	}
	p.Add(glyphs)
	return nil
}

func (c *curve) medians() plotter.XYs {
	var medians plotter.XYs
	for i := range c.x {
		medians = append(medians, plotter.XY{X: c.x[i].Median, Y: c.y[i].Median})
	}
	return medians
}

func (c *curve) addBars(p *plot.Plot, s *style, data bars) error {
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
	style := draw.LineStyle{Color: s.line(c.Style).Color, Width: vg.Points(0.7) * s.scale}
	xs.LineStyle, ys.LineStyle = style, style
	xs.CapWidth, ys.CapWidth = vg.Points(4)*s.scale, vg.Points(4)*s.scale
	p.Add(xs, ys)
	return nil
}

func (c *curve) repeated() bool {
	return slices.ContainsFunc(c.Marks, func(m results.Mark) bool { return len(m.Repeats) > 1 })
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
