package figure

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"dpukv/internal/figstyle"
)

// annotations writes the axis's value next to each mark, where there is room. It omits a number
// that would cover another number, a glyph, a bar or a line.
type annotations struct {
	curves []curve
	style  *style
}

// Plot implements [plot.Plotter].
func (a annotations) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	taken := a.obstacles(x, y)
	for _, cv := range a.curves {
		if len(cv.Marks) < 2 {
			continue // nothing was swept along it
		}
		for i, m := range cv.Marks {
			if cv.y[i].Median > p.Y.Max {
				continue // an arrow stands for it
			}
			at := vg.Point{X: x(cv.x[i].Median), Y: y(cv.y[i].Median)}
			size := a.style.mark.Rectangle(m.AxisValue).Size()
			box, free := place(at, size, c.Rectangle, taken)
			if !free {
				continue
			}
			taken = append(taken, box)
			figstyle.Write(c, a.style.mark, box.Min, m.AxisValue)
		}
	}
}

// obstacles are the areas of glyphs, bars and lines; a line is a row of small boxes.
func (a annotations) obstacles(x, y func(float64) vg.Length) []vg.Rectangle {
	var taken []vg.Rectangle
	for _, c := range a.curves {
		radius := a.style.glyph(c.Style).Radius + 1
		for i := range c.x {
			at := vg.Point{X: x(c.x[i].Median), Y: y(c.y[i].Median)}
			taken = append(taken, around(at, radius))
			taken = append(taken, vg.Rectangle{ // the bars
				Min: vg.Point{X: x(c.x[i].Min), Y: at.Y - 2},
				Max: vg.Point{X: x(c.x[i].Max), Y: at.Y + 2},
			}, vg.Rectangle{
				Min: vg.Point{X: at.X - 2, Y: y(c.y[i].Min)},
				Max: vg.Point{X: at.X + 2, Y: y(c.y[i].Max)},
			})
			if i > 0 {
				from := vg.Point{X: x(c.x[i-1].Median), Y: y(c.y[i-1].Median)}
				taken = append(taken, along(from, at)...)
			}
		}
	}
	return taken
}

func around(at vg.Point, radius vg.Length) vg.Rectangle {
	return vg.Rectangle{
		Min: vg.Point{X: at.X - radius, Y: at.Y - radius},
		Max: vg.Point{X: at.X + radius, Y: at.Y + radius},
	}
}

// along covers the path between two points with boxes.
func along(from, to vg.Point) []vg.Rectangle {
	const size = vg.Length(1.5)
	d := to.Sub(from)
	steps := int(max(d.X, -d.X, d.Y, -d.Y)/size) + 1
	boxes := make([]vg.Rectangle, 0, steps)
	for i := range steps {
		part := vg.Length(i) / vg.Length(steps)
		boxes = append(boxes, around(vg.Point{X: from.X + part*d.X, Y: from.Y + part*d.Y}, size/2))
	}
	return boxes
}

// place finds a free place for a box of this size next to a mark.
func place(
	at vg.Point, size vg.Point, within vg.Rectangle, taken []vg.Rectangle,
) (box vg.Rectangle, free bool) {
	const gap = vg.Length(5)
	left, right := at.X-gap-size.X, at.X+gap
	below, above := at.Y-gap-size.Y, at.Y+gap
	middleX, middleY := at.X-size.X/2, at.Y-size.Y/2
	for _, corner := range []vg.Point{
		{X: middleX, Y: above},
		{X: left, Y: above},
		{X: right, Y: below},
		{X: middleX, Y: below},
		{X: right, Y: above},
		{X: left, Y: below},
		{X: right, Y: middleY},
		{X: left, Y: middleY},
	} {
		box := vg.Rectangle{Min: corner, Max: corner.Add(size)}
		if inside(box, within) && !hits(box, taken) {
			return box, true
		}
	}
	return vg.Rectangle{}, false
}

func inside(box, within vg.Rectangle) bool {
	return box.Min.X >= within.Min.X && box.Max.X <= within.Max.X &&
		box.Min.Y >= within.Min.Y && box.Max.Y <= within.Max.Y
}

func hits(box vg.Rectangle, taken []vg.Rectangle) bool {
	for _, t := range taken {
		if box.Min.X < t.Max.X && t.Min.X < box.Max.X && box.Min.Y < t.Max.Y &&
			t.Min.Y < box.Max.Y {
			return true
		}
	}
	return false
}
