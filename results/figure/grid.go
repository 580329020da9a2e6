package figure

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"dpukv/internal/figstyle"
)

// grid is the plots of a figure's panels, in rows of equal length.
type grid struct {
	plots    [][]*plot.Plot
	headings [][]string // above the plots of a row; nil: none
	cell     vg.Point   // the size of a plot with its labels
	style    *style
}

const (
	cellGap   = vg.Length(8)
	leastCell = 42 * vg.Millimeter // the width of a panel that three can have beside each other
)

// cell is one plot of a grid.
type cell interface {
	plot(s *style, size vg.Point) (*plot.Plot, error)
	head() string // above the plot; "": nothing
}

// newGrid has rows for each metric, and the charts beside each other. In a narrow figure, it has a
// row for each chart.
func (f *figure) newGrid(s *style) (grid, error) {
	var cells []cell
	for _, p := range f.panels {
		cells = append(cells, p)
	}
	return gridOf(cells, f.metrics*max(1, f.rows), f.rows > 1, s)
}

// gridOf lays out cells, given row by row. A narrow figure swaps rows and columns. If the headings
// are each cell's own, all rows have them.
func gridOf(cells []cell, rows int, own bool, s *style) (grid, error) {
	columns := len(cells) / rows
	narrow := cellWidth(s, columns) < leastCell
	at := func(row, column int) cell { return cells[row*columns+column] }
	if narrow {
		rows, columns = columns, rows
		at = func(row, column int) cell { return cells[column*rows+row] }
	}
	g := grid{
		cell: cellSize(s, len(cells), columns), style: s, headings: make([][]string, rows),
	}
	for row := range rows {
		var list []*plot.Plot
		for column := range columns {
			p := at(row, column)
			pl, err := p.plot(s, g.cell)
			if err != nil {
				return grid{}, err
			}
			if row < rows-1 {
				pl.X.Label.Text = ""
			}
			if !narrow && column > 0 {
				pl.Y.Label.Text = ""
			}
			if p.head() != "" && (narrow || own || row == 0) {
				g.headings[row] = append(g.headings[row], p.head())
			}
			list = append(list, pl)
		}
		g.plots = append(g.plots, list)
	}
	return g, nil
}

// cellWidth is the width of a plot with its labels.
func cellWidth(s *style, columns int) vg.Length {
	return (s.textWidth()+cellGap)/vg.Length(columns) - cellGap
}

func cellSize(s *style, panels, columns int) vg.Point {
	width := cellWidth(s, columns)
	if panels == 1 {
		return vg.Point{X: width, Y: max(50*vg.Millimeter, s.width/figstyle.Width*3.4*vg.Inch)}
	}
	height := max(36*vg.Millimeter, min(60*vg.Millimeter, width*0.8))
	return vg.Point{X: width, Y: height}
}

// gap is the height between a row and the one above it, with its headings.
func (g *grid) gap(row int) vg.Length {
	gap := vg.Length(0)
	if row > 0 {
		gap = cellGap
	}
	if g.headings[row] != nil {
		gap += figstyle.LineHeight(g.style.heading) + 3
	}
	return gap
}

func (g *grid) height() vg.Length {
	height := vg.Length(len(g.plots)) * g.cell.Y
	for row := range g.plots {
		height += g.gap(row)
	}
	return height
}

// draw draws the plots. Their areas have one size. All rows but the first have the same headings.
func (g *grid) draw(c draw.Canvas) {
	if len(g.plots) == 1 && len(g.plots[0]) == 1 && g.headings[0] == nil {
		g.plots[0][0].Draw(draw.Crop(c, 0, 0, 0, -g.gap(0)))
		return
	}
	c.Max.Y -= g.gap(0)
	tiles := draw.Tiles{Rows: len(g.plots), Cols: len(g.plots[0]), PadX: cellGap}
	if tiles.Rows > 1 {
		tiles.PadY = g.gap(1)
	}
	for row, canvases := range plot.Align(g.plots, tiles, c) {
		for column, canvas := range canvases {
			p := g.plots[row][column]
			p.Draw(canvas)
			if g.headings[row] != nil {
				g.write(c, p.DataCanvas(canvas), canvas.Max.Y, g.headings[row][column])
			}
		}
	}
}

// write centres a heading above a plot's area. It shortens one that is wider than the plot.
func (g *grid) write(c, area draw.Canvas, bottom vg.Length, heading string) {
	const share = 0.85 // of a plot, which has labels on its left
	for r := []rune(heading); g.style.heading.Width(heading) > share*g.cell.X && len(r) > 1; {
		r = r[:len(r)-1]
		heading = string(r) + "…"
	}
	x := area.Center().X - g.style.heading.Width(heading)/2
	figstyle.Write(c, g.style.heading, vg.Point{X: x, Y: bottom + 3}, heading)
}
