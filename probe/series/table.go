package series

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"dpukv/probe"
)

// Table prints rows for a terminal, each when it is measured. A header stands above each change of
// what the columns are.
type Table struct {
	kind   *probe.Kind
	w      io.Writer
	header string
	said   []string // warnings
}

// NewTable returns a table without a row.
func NewTable(kind *probe.Kind, w io.Writer) *Table { return &Table{kind: kind, w: w} }

// column is one column of a row.
type column struct{ title, text string }

// width is the least width of a column: that of the largest size in bytes.
const width = 9

// Add prints a row, and each warning once.
func (t *Table) Add(r *Row) error {
	var b, titles, texts strings.Builder
	for _, c := range t.columns(r) {
		n := max(utf8.RuneCountInString(c.title), utf8.RuneCountInString(c.text), width)
		fmt.Fprintf(&titles, " %-*s", n, c.title)
		fmt.Fprintf(&texts, " %-*s", n, c.text)
	}
	header := strings.TrimRight(titles.String(), " ")
	if title := t.title(r); title+header != t.header {
		t.header = title + header
		fmt.Fprintf(&b, "# %s\n# used: %s\n#%s\n", title, facts(r), header)
	}
	fmt.Fprintf(&b, " %s\n", strings.TrimRight(texts.String(), " "))
	for _, text := range r.Warnings {
		if !slices.Contains(t.said, text) {
			t.said = append(t.said, text)
			fmt.Fprintf(&b, "# warning: %s\n", text)
		}
	}
	_, err := io.WriteString(t.w, b.String())
	return err
}

// inTitle reports whether the value of an axis is a part of the title.
func inTitle(s probe.Setting) bool {
	_, err := strconv.Atoi(s.Value)
	return err != nil
}

// title names what is measured. Words stand in it, numbers have columns.
func (t *Table) title(r *Row) string {
	var words []string
	for _, s := range r.list {
		if inTitle(s) {
			words = append(words, s.Name+" "+s.Value)
		}
	}
	return t.kind.Title + ": " + strings.Join(words, ", ")
}

// facts tell what was used.
func facts(r *Row) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(r.Facts)) {
		if r.Facts[name] != r.Settings[name] {
			words = append(words, name+" "+r.Facts[name])
		}
	}
	return strings.Join(words, ", ")
}

// columns are the numbers among the settings, the number of samples, and the figures.
func (t *Table) columns(r *Row) []column {
	var list []column
	for _, s := range r.list {
		if !inTitle(s) {
			list = append(list, column{s.Name, s.Value})
		}
	}
	if len(r.Intervals) > 0 {
		n := r.Intervals[0].Histogram.TotalCount()
		list = append(list, column{"samples", strconv.FormatInt(n, 10)})
	}
	for i := range t.kind.Figures {
		f := &t.kind.Figures[i]
		v, measured := r.Figures[f.Name]
		if !measured {
			continue
		}
		if f.Factor != 0 {
			v *= f.Factor
		}
		list = append(list, column{f.Title, number(v)})
	}
	return list
}

// number has three digits behind the point, or two if it is 10 or more.
func number(v float64) string {
	if v < 10 {
		return strconv.FormatFloat(v, 'f', 3, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}
