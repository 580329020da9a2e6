package figure

import (
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"dpukv/internal/figstyle"
)

const (
	sampleWidth = vg.Length(30) // of a line in the legend
	sampleGap   = vg.Length(5)
	columnGap   = vg.Length(14)
	legendLead  = vg.Length(3)
)

// legend lists lines row by row, in columns of equal width. It wraps labels that are wider than the
// page. It is empty for a single line.
type legend struct {
	style       *style
	lines       []entry    // one for each label
	labels      [][]string // of the lines, wrapped
	columns     int
	columnWidth vg.Length
}

// entry is a line in the legend.
type entry struct {
	Label string
	Style int
}

// newLegend makes the legend of the lines of all panels.
func newLegend(panels []*panel, s *style) legend {
	var entries []entry
	for _, p := range panels {
		for i := range p.chart.Lines {
			l := &p.chart.Lines[i]
			entries = append(entries, entry{l.Label, l.Style})
		}
	}
	return legendOf(entries, len(panels) > 1, s)
}

// legendOf makes the legend of entries, each label once. The first of several panels may lack
// lines of the others.
func legendOf(entries []entry, several bool, s *style) legend {
	l := legend{style: s}
	seen := make(map[string]bool)
	for _, e := range entries {
		if !seen[e.Label] {
			seen[e.Label] = true
			l.lines = append(l.lines, e)
		}
	}
	if several {
		slices.SortStableFunc(l.lines, func(a, b entry) int { return a.Style - b.Style })
	}
	if len(l.lines) < 2 {
		return legend{}
	}
	before := (sampleWidth + sampleGap) * s.scale
	for _, c := range l.lines {
		label := figstyle.Wrap([]string{c.Label}, s.legend, s.textWidth()-before)
		l.labels = append(l.labels, label)
		for _, text := range label {
			l.columnWidth = max(l.columnWidth, before+columnGap*s.scale+s.legend.Width(text))
		}
	}
	l.columns = max(1, int((s.textWidth()+columnGap*s.scale)/l.columnWidth))
	l.columns = min(len(l.lines), l.columns)
	return l
}

func (l *legend) rowHeight() vg.Length {
	return figstyle.LineHeight(l.style.legend) + legendLead*l.style.scale
}

func (l *legend) height() vg.Length {
	if len(l.lines) == 0 {
		return 0
	}
	return vg.Length(l.textLines(len(l.lines)))*l.rowHeight() + partGap*l.style.scale
}

// textLines is the height of the rows in front of a line, in lines of text. A row is as high as the
// highest of its labels.
func (l *legend) textLines(line int) (n int) {
	for first := 0; first < line; first += l.columns {
		highest := 1
		for _, label := range l.labels[first:min(first+l.columns, len(l.labels))] {
			highest = max(highest, len(label))
		}
		n += highest
	}
	return n
}

// draw lists the lines from the top of c.
func (l *legend) draw(c draw.Canvas) {
	for i, line := range l.lines {
		s := l.style
		x := c.Min.X + vg.Length(i%l.columns)*l.columnWidth
		row := l.textLines(i / l.columns * l.columns)
		y := c.Max.Y - vg.Length(row+1)*l.rowHeight()
		middle := y + l.rowHeight()/2
		c.StrokeLine2(s.line(line.Style), x, middle, x+sampleWidth*s.scale, middle)
		c.DrawGlyph(s.glyph(line.Style), vg.Point{X: x + sampleWidth*s.scale/2, Y: middle})
		corner := vg.Point{X: x + (sampleWidth+sampleGap)*s.scale, Y: y + legendLead*s.scale/2}
		for _, text := range l.labels[i] {
			figstyle.Write(c, s.legend, corner, text)
			corner.Y -= l.rowHeight()
		}
	}
}
