package foreign

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
)

// CSV writes rows as comma-separated values, as [csv.Writer] does. In a cell, it shows control
// characters as escapes, except newlines and tabs. A spreadsheet takes a cell for a formula if it
// begins with =, +, - or @: such a cell gets an apostrophe before it, unless it is a number.
type CSV struct{ out *csv.Writer }

// NewCSV returns a writer of rows to w.
func NewCSV(w io.Writer) CSV { return CSV{csv.NewWriter(w)} }

// Write writes one row.
func (c CSV) Write(row []string) error {
	cells := make([]string, len(row))
	for i, text := range row {
		cells[i] = cell(text)
	}
	return c.out.Write(cells)
}

// Flush writes what is buffered, and returns the first error.
func (c CSV) Flush() error {
	c.out.Flush()
	return c.out.Error()
}

// WriteAll writes rows, and then flushes.
func (c CSV) WriteAll(rows [][]string) error {
	for _, row := range rows {
		if err := c.Write(row); err != nil {
			return err
		}
	}
	return c.Flush()
}

// formula are the characters that a formula begins with, also the wide ones of Asian keyboards.
const formula = "=+-@＝＋－＠"

func cell(text string) string {
	if text == "" || isPlain(text) && !strings.ContainsRune(formula+" ", rune(text[0])) {
		return text
	}
	safe := escaped(text, "\n\t")
	_, err := strconv.ParseFloat(text, 64)
	begin := []rune(strings.TrimLeft(safe, " \t\n"))
	if err != nil && len(begin) > 0 && strings.ContainsRune(formula, begin[0]) {
		return "'" + safe
	}
	return safe
}
