package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"dpukv/internal/figstyle"
	"dpukv/internal/numfmt"
)

// arrows stand at the end of the latency axis for the marks and bars beyond it, with their values.
type arrows struct {
	curves []curve
	style  *style
}

// Plot implements [plot.Plotter].
func (a arrows) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	var taken []vg.Rectangle
	for _, cv := range a.curves {
		for i := range cv.y {
			if cv.y[i].Max <= p.Y.Max {
				continue
			}
			glyph := a.style.glyph(cv.Style)
			glyph.Shape = polygonGlyph{corners: 3, turn: math.Pi / 2}
			at := vg.Point{X: x(cv.x[i].Median), Y: c.Max.Y - glyph.Radius*2}
			c.DrawGlyph(glyph, at)
			label := a.style.mark
			label.Color = glyph.Color
			taken = append(taken, a.write(c, label, at, cv.y[i].Max, taken))
		}
	}
}

// write writes a value beside an arrow, below the values that are there and above the lines.
func (a arrows) write(
	c draw.Canvas, style text.Style, at vg.Point, value float64, taken []vg.Rectangle,
) vg.Rectangle {
	number := numfmt.Whole(value)
	size := style.Rectangle(number).Size()
	corner := vg.Point{X: at.X + 6*a.style.scale, Y: at.Y - size.Y/2}
	if corner.X+size.X > c.Max.X {
		corner.X = at.X - 6*a.style.scale - size.X
	}
	box := vg.Rectangle{Min: corner, Max: corner.Add(size)}
	for hits(box, taken) {
		box.Min.Y -= size.Y + 1
		box.Max.Y -= size.Y + 1
	}
	c.SetColor(color.White)
	c.Fill(box.Path())
	figstyle.Write(c, style, box.Min, number)
	return box
}
