package table

import (
	"unicode/utf8"

	"dpukv/internal/foreign"
	"dpukv/results"
)

// layOut returns the table's lines: two header lines, then the rows.
func layOut(columns []column, rows [][]*results.Point) []string {
	lines := make([]string, 2+len(rows))
	for i, c := range columns {
		values, spreads := make([]string, len(rows)), make([]string, len(rows))
		for j, repeats := range rows {
			value, spread := c.cell(repeats)
			values[j], spreads[j] = foreign.Line(value), foreign.Line(spread)
		}
		cells := joinCells(values, spreads, c.left)
		width := widest(append(cells, c.head[:]...))
		for j, cell := range append(c.head[:], cells...) {
			if i > 0 {
				lines[j] += "  "
			}
			lines[j] += pad(cell, width, c.left)
		}
	}
	return lines
}

// joinCells aligns values with each other, and the spreads behind them.
func joinCells(values, spreads []string, left bool) []string {
	valueWidth, spreadWidth := widest(values), widest(spreads)
	cells := make([]string, len(values))
	for i := range values {
		cells[i] = pad(values[i], valueWidth, left)
		if spreadWidth > 0 {
			cells[i] += " " + padRight(spreads[i], spreadWidth)
		}
	}
	return cells
}

func widest(cells []string) int {
	width := 0
	for _, c := range cells {
		width = max(width, utf8.RuneCountInString(c))
	}
	return width
}

func pad(cell string, width int, left bool) string {
	if left {
		return padRight(cell, width)
	}
	return padLeft(cell, width)
}
