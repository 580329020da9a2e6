package figure

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"dpukv/internal/figstyle"
)

const (
	sampleWidth = vg.Length(30) // of a line in the legend
	sampleGap   = vg.Length(5)
	columnGap   = vg.Length(14)
)

// legend lists the lines row by row, in columns of equal width. It is empty for a single line.
type legend struct {
	curves      []curve
	columns     int
	columnWidth vg.Length
}

func newLegend(curves []curve, width vg.Length) legend {
	if len(curves) < 2 {
		return legend{}
	}
	l := legend{curves: curves}
	for _, c := range curves {
		width := sampleWidth + sampleGap + legendText.Width(c.Label) + columnGap
		l.columnWidth = max(l.columnWidth, width)
	}
	l.columns = min(len(curves), max(1, int((width+columnGap)/l.columnWidth)))
	return l
}

func (l *legend) rowHeight() vg.Length { return figstyle.LineHeight(legendText) + legendLead }

func (l *legend) height() vg.Length {
	if len(l.curves) == 0 {
		return 0
	}
	rows := (len(l.curves) + l.columns - 1) / l.columns
	return vg.Length(rows)*l.rowHeight() + partGap
}

// draw lists the lines from the top of c.
func (l *legend) draw(c draw.Canvas) {
	for i, cv := range l.curves {
		x := c.Min.X + vg.Length(i%l.columns)*l.columnWidth
		y := c.Max.Y - vg.Length(i/l.columns+1)*l.rowHeight()
		middle := y + l.rowHeight()/2
		c.StrokeLine2(lineStyle(cv.Style), x, middle, x+sampleWidth, middle)
		c.DrawGlyph(glyphStyle(cv.Style), vg.Point{X: x + sampleWidth/2, Y: middle})
		corner := vg.Point{X: x + sampleWidth + sampleGap, Y: y + legendLead/2}
		figstyle.Write(c, legendText, corner, cv.Label)
	}
}
