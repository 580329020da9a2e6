package table

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"dpukv/results"
)

// maxWidth is the width of a table, in characters, that terminals show without a break.
const maxWidth = 100

// constant takes the columns out whose cells are the same in all rows, and returns their labels. At
// least one of what tells the rows apart stays.
func constant(columns []column, rows [][]*results.Point) (kept []column, labels []string) {
	varies := slices.ContainsFunc(columns, func(c column) bool {
		return c.label != nil && !sameCells(c, rows)
	})
	for i, c := range columns {
		first := i == 0 && !varies
		if c.label == nil || first || !sameCells(c, rows) {
			kept = append(kept, c)
		} else if label := c.label(rows[0]); label != "" {
			labels = append(labels, label)
		}
	}
	return kept, labels
}

func sameCells(c column, rows [][]*results.Point) bool {
	value, spread := c.cell(rows[0])
	return !slices.ContainsFunc(rows, func(repeats []*results.Point) bool {
		v, s := c.cell(repeats)
		return v != value || s != spread
	})
}

// fit lays the columns out within maxWidth. It leaves out those that a reader needs least, and
// returns their names.
func fit(columns []column, rows [][]*results.Point) (lines, left []string) {
	for {
		lines = layOut(columns, rows)
		i := needless(columns)
		if utf8.RuneCountInString(lines[0]) <= maxWidth || i < 0 {
			return lines, left
		}
		left = append(left, strings.TrimSpace(columns[i].head[0]+" "+columns[i].head[1]))
		columns = slices.Delete(slices.Clone(columns), i, i+1)
	}
}

// needless is the column that a reader needs least, or -1 if all are needed.
func needless(columns []column) int {
	least := -1
	for i, c := range columns {
		if c.spare > 0 && (least < 0 || c.spare > columns[least].spare) {
			least = i
		}
	}
	return least
}

// leftOut says which columns are not shown, or "" if all are.
func leftOut(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("Left out, to fit %d columns: %s.\nThe report and the CSV file have them.\n",
		maxWidth, strings.Join(names, "; "))
}
