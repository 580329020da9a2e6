package figure

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"dpukv/results"
	"dpukv/results/probechart"
)

// probePanel is one panel of a figure of probes.
type probePanel struct {
	chart  *probechart.Chart
	panel  *probechart.Panel
	ranged []probechart.Line // that the axes have to show
}

func (p *probePanel) head() string { return p.panel.Heading }

// plot makes the plot of a panel of about this size.
func (p *probePanel) plot(s *style, size vg.Point) (*plot.Plot, error) {
	pl := s.newPlot(size, p.chart.X.Label(), p.chart.Y.Label())
	for _, c := range p.curves() {
		if err := c.addTo(pl, s, math.Inf(1)); err != nil {
			return nil, err
		}
	}
	room := int(size.X / s.tick.Font.Size / 4)
	x, y := extentOfLines(p.ranged)
	setProbeAxis(&pl.X, &p.chart.X, x, room)
	setProbeAxis(&pl.Y, &p.chart.Y, y, room)
	return pl, nil
}

// curves are the lines in the units of the chart.
func (p *probePanel) curves() []curve {
	var curves []curve
	for i := range p.panel.Lines {
		l := &p.panel.Lines[i]
		c := curve{Line: &results.Line{Label: l.Label, Style: l.Style}}
		for _, m := range l.Marks {
			c.Marks = append(c.Marks, results.Mark{Repeats: m.Repeats})
			c.x = append(c.x, m.X.Per(p.chart.X.Unit.Per))
			c.y = append(c.y, m.Y.Per(p.chart.Y.Unit.Per))
		}
		curves = append(curves, c)
	}
	return curves
}

// extentOfLines are the least and the greatest values of lines along both axes, in base units.
func extentOfLines(lines []probechart.Line) (x, y [2]float64) {
	x, y = [2]float64{math.Inf(1), 0}, [2]float64{math.Inf(1), 0}
	for i := range lines {
		for _, m := range lines[i].Marks {
			x = [2]float64{min(x[0], m.X.Min), max(x[1], m.X.Max)}
			y = [2]float64{min(y[0], m.Y.Min), max(y[1], m.Y.Max)}
		}
	}
	return x, y
}

// setProbeAxis begins a linear axis at zero. A value of zero has no place on a logarithmic axis.
func setProbeAxis(to *plot.Axis, from *probechart.Axis, extent [2]float64, room int) {
	least, most := extent[0]/from.Unit.Per, extent[1]/from.Unit.Per
	switch {
	case !from.Log || least <= 0:
		to.Min, to.Max = 0, most*1.08
		if most == 0 {
			to.Max = 1
		}
		if from.Quantity == probechart.Count {
			to.Tick.Marker = wholeTicks{linearTicks{most: max(3, room)}}
		}
	case from.Quantity == probechart.Size:
		to.Scale, to.Tick.Marker = plot.LogScale{}, sizeTicks{most: max(3, room)}
		to.Min, to.Max = least/1.25, most*1.25
	default:
		to.Scale, to.Tick.Marker = plot.LogScale{}, logTicks{}
		to.Min, to.Max = least*0.7, most*1.4
	}
}

// wholeTicks marks an axis at whole numbers only.
type wholeTicks struct{ linearTicks }

func (t wholeTicks) Ticks(lo, hi float64) []plot.Tick {
	var whole []plot.Tick
	for _, tick := range t.linearTicks.Ticks(lo, hi) {
		if tick.Value == math.Trunc(tick.Value) {
			whole = append(whole, plot.Tick{Value: tick.Value, Label: number(tick.Value)})
		}
	}
	return whole
}

// sizeTicks marks a logarithmic axis of bytes at powers of two, and labels as many as fit.
type sizeTicks struct{ most int }

func (t sizeTicks) Ticks(lo, hi float64) []plot.Tick {
	first, last := int(math.Ceil(math.Log2(lo))), int(math.Floor(math.Log2(hi)))
	step := 1
	for (last-first)/step+1 > t.most {
		step++
	}
	var ticks []plot.Tick
	for e := first; e <= last; e++ {
		tick := plot.Tick{Value: math.Exp2(float64(e))}
		if (e-first)%step == 0 {
			tick.Label = probechart.SizeText(tick.Value)
		}
		ticks = append(ticks, tick)
	}
	return ticks
}
