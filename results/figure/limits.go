package figure

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"dpukv/internal/figstyle"
	"dpukv/internal/numfmt"
	"dpukv/results"
)

// knees puts a ring around each mark that may be a line's knee.
type knees struct {
	metric *results.Metric
	curves []curve
	style  *style
}

// Plot implements [plot.Plotter].
func (k knees) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, cv := range k.curves {
		knee, ok := cv.Knee(k.metric)
		if !ok {
			continue
		}
		for i := range cv.Marks {
			if !knee.Has(i) || cv.y[i].Median > p.Y.Max {
				continue
			}
			radius := k.style.glyph(cv.Style).Radius * 2
			ring := draw.GlyphStyle{Color: figstyle.Ink, Radius: radius, Shape: draw.RingGlyph{}}
			c.DrawGlyph(ring, vg.Point{X: x(cv.x[i].Median), Y: y(cv.y[i].Median)})
		}
	}
}

// boundLine is a service level across the plot.
type boundLine struct {
	bound *results.Bound
	unit  numfmt.Unit
	style *style
}

// Plot implements [plot.Plotter].
func (b boundLine) Plot(c draw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	at := y(b.bound.Ns / b.unit.Per)
	dotted := draw.LineStyle{Color: figstyle.Ink, Width: vg.Points(0.9), Dashes: []vg.Length{1, 2}}
	c.StrokeLine2(dotted, c.Min.X, at, c.Max.X, at)
	figstyle.Write(c, b.style.mark, vg.Point{X: c.Min.X + 4, Y: at + 2}, b.bound.String())
}
