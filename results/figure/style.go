package figure

import (
	"cmp"
	"image/color"
	"math"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"dpukv/internal/figstyle"
)

// style has the sizes of a figure's parts. They follow from the size of its font, not from its
// width: text stays readable in a narrow figure.
type style struct {
	width, margin vg.Length
	scale         vg.Length // of lines and glyphs: 1 at 10 pt
	dpi           int

	title, heading, axis, tick, legend, mark, foot text.Style
}

func newStyle(l *Layout) *style {
	size := l.fontSize()
	of := func(share vg.Length, weight xfont.Weight, c color.Color) text.Style {
		font := Fonts[cmp.Or(l.Font, "sans")]
		return figstyle.Text(font, max(leastFontSize, size*share), weight, c)
	}
	s := &style{
		width: l.width(), margin: figstyle.Margin, scale: size / 10, dpi: figstyle.DPI,
		title:   of(1.15, xfont.WeightBold, figstyle.Ink),
		heading: of(1, xfont.WeightBold, figstyle.Ink),
		axis:    of(1, xfont.WeightNormal, figstyle.Ink),
		tick:    of(0.9, xfont.WeightNormal, figstyle.Ink),
		legend:  of(0.9, xfont.WeightNormal, figstyle.Ink),
		mark:    of(0.75, xfont.WeightNormal, figstyle.FaintInk),
		foot:    of(0.75, xfont.WeightNormal, figstyle.FaintInk),
	}
	if l.Width != 0 { // for a column of a paper, which has margins of its own
		s.margin, s.dpi = 2, 300
	}
	return s
}

func (s *style) textWidth() vg.Length { return s.width - 2*s.margin }

// lineColors are colours that colour-blind readers can tell apart (Okabe and Ito). The first ones
// also differ in their greys.
var lineColors = []color.Color{
	figstyle.Blue,
	figstyle.Vermilion,
	figstyle.Black,
	figstyle.Green,
	figstyle.Purple,
	figstyle.Orange,
	figstyle.Sky,
}

var lineDashes = [][]vg.Length{
	nil,
	{6, 3},
	{2, 2},
	{8, 3, 2, 3},
	{12, 3},
}

var lineShapes = []polygonGlyph{
	{corners: 32},
	{corners: 4, turn: math.Pi / 4},
	{corners: 3, turn: math.Pi / 2},
	{corners: 4},
	{corners: 3, turn: -math.Pi / 2},
	{corners: 6},
}

// line is the colour and the dash of the line with this index. Lines differ in colour, dash and
// glyph, so that a figure can be read in black and white.
func (s *style) line(index int) draw.LineStyle {
	l := draw.LineStyle{
		Color: lineColors[index%len(lineColors)],
		Width: vg.Points(1.3) * s.scale,
	}
	for _, d := range lineDashes[index%len(lineDashes)] {
		l.Dashes = append(l.Dashes, d*s.scale)
	}
	return l
}

// glyph is the glyph of a line's marks. The first twelve lines all have different ones.
func (s *style) glyph(index int) draw.GlyphStyle {
	shape := lineShapes[index%len(lineShapes)]
	oddRound := index/len(lineShapes)%2 == 1
	shape.hollow = (index%2 == 1) != oddRound
	color := lineColors[index%len(lineColors)]
	return draw.GlyphStyle{Color: color, Radius: vg.Points(3.4) * s.scale, Shape: shape}
}

// polygonGlyph is a regular polygon around the point, filled with its colour or with white.
type polygonGlyph struct {
	corners int
	turn    float64
	hollow  bool
}

// DrawGlyph implements [draw.GlyphDrawer].
func (g polygonGlyph) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	// At the same radius, a triangle looks smaller than a circle.
	radius := style.Radius * vg.Length(1+0.9/float64(g.corners))
	var path vg.Path
	for i := range g.corners {
		sin, cos := math.Sincos(g.turn + 2*math.Pi*float64(i)/float64(g.corners))
		corner := vg.Point{X: at.X + radius*vg.Length(cos), Y: at.Y + radius*vg.Length(sin)}
		if i == 0 {
			path.Move(corner)
		} else {
			path.Line(corner)
		}
	}
	path.Close()
	fill := style.Color
	if g.hollow {
		fill = color.White
	}
	c.SetColor(fill)
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: style.Color, Width: style.Radius * 1.1 / 3.4})
	c.Stroke(path)
}
