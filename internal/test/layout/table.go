package layout

import (
	"fmt"
	"slices"
	"strings"
)

// header begins the table of allowed imports.
const header = `| folder | may import | its tests also |
|---|---|---|
`

// row is a line of the table. It holds for its folder and the folders below, except those with a
// longer row of their own.
type row struct {
	folder          string
	imports, extras []string // folders of other rows; extras are those of tests only
}

// table is the text before the rows, the rows, and the text after them.
type table struct {
	before, after string
	rows          []row
}

// parseTable finds the table in a text.
func parseTable(text string) (t table, err error) {
	before, rest, found := strings.Cut(text, header)
	if !found {
		return t, fmt.Errorf("%s: found no table of imports, want one that begins with\n%s",
			architectureMD, header)
	}
	t.before = before
	for strings.HasPrefix(rest, "|") {
		line, below, _ := strings.Cut(rest, "\n")
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if len(cells) != 3 || len(words(cells[0])) != 1 {
			return t, fmt.Errorf("%s: found the row %q, want %s", architectureMD, line, header)
		}
		t.rows = append(t.rows, row{words(cells[0])[0], words(cells[1]), words(cells[2])})
		rest = below
	}
	t.after = rest
	return t, nil
}

// words are the folders in a cell.
func words(cell string) []string {
	return strings.FieldsFunc(cell, func(r rune) bool { return strings.ContainsRune("`, ", r) })
}

func (t *table) String() string {
	var b strings.Builder
	b.WriteString(t.before + header)
	for _, r := range t.rows {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.folder, cell(r.imports), cell(r.extras))
	}
	return b.String() + t.after
}

func cell(folders []string) string {
	if len(folders) == 0 {
		return ""
	}
	return "`" + strings.Join(folders, "`, `") + "`"
}

// rowOf is the index of the longest row that a folder belongs to, or -1.
func (t *table) rowOf(path string) int {
	best := -1
	for i, r := range t.rows {
		if r.covers(path) && (best < 0 || len(r.folder) > len(t.rows[best].folder)) {
			best = i
		}
	}
	return best
}

func (r *row) covers(path string) bool {
	return path == r.folder || strings.HasPrefix(path, r.folder+"/")
}

// index is the row of a name, or -1.
func (t *table) index(name string) int {
	return slices.IndexFunc(t.rows, func(r row) bool { return r.folder == name })
}
