package figure

import (
	"image/color"
	"math"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"dpukv/internal/figstyle"
)

// plotHeight is the height of the plot alone; title, legend and conditions add to it.
const plotHeight = 3.4 * vg.Inch

var (
	tickText   = figstyle.Sans(9, xfont.WeightNormal, figstyle.Ink)
	legendText = figstyle.Sans(9, xfont.WeightNormal, figstyle.Ink)
	markText   = figstyle.Sans(7.5, xfont.WeightNormal, figstyle.FaintInk)
)

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

// lineStyle is the colour and the dash of a line. Lines differ in colour, dash and glyph, so that a
// figure can be read in black and white.
func lineStyle(style int) draw.LineStyle {
	return draw.LineStyle{
		Color:  lineColors[style%len(lineColors)],
		Width:  vg.Points(1.3),
		Dashes: lineDashes[style%len(lineDashes)],
	}
}

// glyphStyle is the glyph of a line's marks. The first twelve lines all have different ones.
func glyphStyle(style int) draw.GlyphStyle {
	shape := lineShapes[style%len(lineShapes)]
	oddRound := style/len(lineShapes)%2 == 1
	shape.hollow = (style%2 == 1) != oddRound
	color := lineColors[style%len(lineColors)]
	return draw.GlyphStyle{Color: color, Radius: vg.Points(3.4), Shape: shape}
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
	c.SetLineStyle(draw.LineStyle{Color: style.Color, Width: vg.Points(1.1)})
	c.Stroke(path)
}
