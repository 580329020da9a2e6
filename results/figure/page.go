package figure

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"dpukv/internal/figstyle"
)

// page is a figure laid out: title and legend above the plots, where they cover no data, and the
// conditions below them.
type page struct {
	style  *style
	title  []string
	legend legend
	grid   grid
	foot   []string
}

func (f *figure) page() (*page, error) {
	s := newStyle(&f.layout)
	g, err := f.newGrid(s)
	if err != nil {
		return nil, err
	}
	p := &page{
		style:  s,
		legend: newLegend(f.panels, s),
		grid:   g,
		foot:   figstyle.Wrap(f.conditions(), s.foot, s.textWidth()),
	}
	if title := f.shownTitle(); title != "" {
		p.title = figstyle.Wrap([]string{title}, s.title, s.textWidth())
	}
	return p, nil
}

const (
	partGap  = vg.Length(6) // between the parts of a page
	footLead = vg.Length(1) // between the lines of the foot
)

func (p *page) titleHeight() vg.Length {
	if len(p.title) == 0 {
		return 0
	}
	return vg.Length(len(p.title))*figstyle.LineHeight(p.style.title) + partGap*p.style.scale
}

func (p *page) footLine() vg.Length { return figstyle.LineHeight(p.style.foot) + footLead }

func (p *page) footHeight() vg.Length {
	return vg.Length(len(p.foot))*p.footLine() + partGap*p.style.scale
}

func (p *page) height() vg.Length {
	return 2*p.style.margin + p.titleHeight() + p.legend.height() + p.grid.height() + p.footHeight()
}

func (p *page) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Path())
	margin := p.style.margin
	c = draw.Crop(c, margin, -margin, margin, -margin)
	for i, line := range p.title {
		y := c.Max.Y - vg.Length(i+1)*figstyle.LineHeight(p.style.title)
		figstyle.Write(c, p.style.title, vg.Point{X: c.Min.X, Y: y}, line)
	}
	c = draw.Crop(c, 0, 0, 0, -p.titleHeight())
	p.legend.draw(c)
	c = draw.Crop(c, 0, 0, 0, -p.legend.height())
	for i, line := range p.foot {
		y := c.Min.Y + vg.Length(len(p.foot)-1-i)*p.footLine()
		figstyle.Write(c, p.style.foot, vg.Point{X: c.Min.X, Y: y}, line)
	}
	p.grid.draw(draw.Crop(c, 0, 0, p.footHeight(), 0))
}

// grid is the plots of a figure's panels, in rows of equal length.
type grid struct {
	plots [][]*plot.Plot
	cell  vg.Point // the size of one
}

const (
	cellGap   = vg.Length(8)
	leastCell = 43 * vg.Millimeter // the width of a panel that three can have beside each other
)

// newGrid has a row for each metric, and the charts beside each other. In a narrow figure, it has a
// row for each chart.
func (f *figure) newGrid(s *style) (grid, error) {
	rows, columns := f.metrics, len(f.panels)/f.metrics
	narrow := (s.textWidth()+cellGap)/vg.Length(columns)-cellGap < leastCell
	if narrow {
		rows, columns = columns, rows
	}
	g := grid{cell: cellSize(s, len(f.panels), columns)}
	for row := range rows {
		var list []*plot.Plot
		for column := range columns {
			i := row*columns + column
			if narrow {
				i = column*rows + row
			}
			p, err := f.panels[i].plot(s, g.cell)
			if err != nil {
				return grid{}, err
			}
			if row < rows-1 {
				p.X.Label.Text = ""
			}
			if !narrow && column > 0 {
				p.Y.Label.Text = ""
			}
			list = append(list, p)
		}
		g.plots = append(g.plots, list)
	}
	return g, nil
}

// cellSize is the size of a plot with its labels.
func cellSize(s *style, panels, columns int) vg.Point {
	width := (s.textWidth()+cellGap)/vg.Length(columns) - cellGap
	if panels == 1 {
		return vg.Point{X: width, Y: max(50*vg.Millimeter, s.width/figstyle.Width*3.4*vg.Inch)}
	}
	height := max(38*vg.Millimeter, min(60*vg.Millimeter, width*0.8))
	return vg.Point{X: width, Y: height}
}

func (g *grid) height() vg.Length {
	rows := vg.Length(len(g.plots))
	return rows*g.cell.Y + (rows-1)*cellGap
}

func (g *grid) draw(c draw.Canvas) {
	if len(g.plots) == 1 && len(g.plots[0]) == 1 {
		g.plots[0][0].Draw(c)
		return
	}
	tiles := draw.Tiles{
		Rows: len(g.plots), Cols: len(g.plots[0]), PadX: cellGap, PadY: cellGap,
	}
	for row, canvases := range plot.Align(g.plots, tiles, c) {
		for column, canvas := range canvases {
			g.plots[row][column].Draw(canvas)
		}
	}
}
