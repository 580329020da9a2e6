package table

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"dpukv/internal/foreign"
	"dpukv/internal/numfmt"
	"dpukv/results"
)

// WarningGroup is a set of warnings that differ in their numbers only.
type WarningGroup struct {
	Example results.Warning
	Same    bool             // all are the example
	Points  []*results.Point // one for each warning
}

// GroupWarnings puts warnings together that differ in their numbers only, the most frequent first.
func GroupWarnings(points []*results.Point) []*WarningGroup {
	var list []*WarningGroup
	byShape := make(map[string]*WarningGroup)
	for _, p := range points {
		for _, w := range p.Warnings {
			shape := number.ReplaceAllString(w.String(), "#")
			a := byShape[shape]
			if a == nil {
				a = &WarningGroup{Example: w, Same: true}
				byShape[shape] = a
				list = append(list, a)
			}
			a.Same = a.Same && w == a.Example
			a.Points = append(a.Points, p)
		}
	}
	slices.SortStableFunc(list, func(a, b *WarningGroup) int {
		return cmp.Compare(len(b.Points), len(a.Points))
	})
	return list
}

// number matches a number by itself; the one in "p99" is a part of a name.
var number = regexp.MustCompile(`\b\d[\d.]*`)

// Fold is a set of warnings about the same thing.
type Fold struct {
	Title   string // in a few words; that of warnings without one is one of them
	Example results.Warning
	Nodes   []string         // of the clients that tell it, of several
	Points  []*results.Point // each once, in the order of the points
}

// FoldWarnings puts the warnings of points together by what they are about, the most frequent
// first.
func FoldWarnings(points []*results.Point) []*Fold {
	var list []*Fold
	byTitle := make(map[string]*Fold)
	for _, g := range GroupWarnings(points) {
		title := titleOf(g)
		f := byTitle[title]
		if f == nil {
			f = &Fold{Title: title, Example: g.Example}
			byTitle[title] = f
			list = append(list, f)
		}
		f.Points = append(f.Points, g.Points...)
		if node := g.Example.Node; node != "" && !slices.Contains(f.Nodes, node) {
			f.Nodes = append(f.Nodes, node)
		}
	}
	order := make(map[*results.Point]int, len(points))
	for i, p := range points {
		order[p] = i
	}
	for _, f := range list {
		slices.SortFunc(f.Points, func(a, b *results.Point) int { return order[a] - order[b] })
		f.Points = slices.Compact(f.Points) // a point may have several warnings about one thing
	}
	slices.SortStableFunc(list, func(a, b *Fold) int { return len(b.Points) - len(a.Points) })
	return list
}

// who names the clients of a warning that says that a point shows something else than the server.
func (f *Fold) who() string {
	kind := f.Example.Kind
	if f.Nodes == nil || kind.Title() == "" || !slices.Contains(results.ValidityKinds(), kind) {
		return ""
	}
	return " (" + strings.Join(slices.Sorted(slices.Values(f.Nodes)), ", ") + ")"
}

func titleOf(g *WarningGroup) string {
	title := g.Example.Kind.Title()
	switch {
	case title != "":
		return title
	case g.Same:
		return g.Example.String()
	}
	return "such as: " + g.Example.String()
}

// shownWarnings is how many kinds of warnings a terminal shows.
const shownWarnings = 3

// WriteWarnings says what the warnings of points are about, a line for each of the most frequent
// kinds. It writes nothing if there are none.
func WriteWarnings(b *bytes.Buffer, points []*results.Point) {
	list := FoldWarnings(points)
	if len(list) == 0 {
		return
	}
	b.WriteString("\nWarnings (dpukv report shows where):\n")
	for _, f := range list[:min(shownWarnings, len(list))] {
		line := fmt.Sprintf("%d×  %s", len(f.Points), foreign.Reason(f.Title)+f.who())
		fmt.Fprintf(b, "  %s\n", shorten(line, maxWidth-2))
	}
	if more := len(list) - shownWarnings; more > 0 {
		fmt.Fprintf(b, "  and %s more\n", numfmt.Count(more, "kind"))
	}
}

func writeFailed(b *bytes.Buffer, failed []*results.Point) {
	if len(failed) == 0 {
		return
	}
	fmt.Fprintf(b, "\nFailed, and not in the table (%s):\n", numfmt.Count(len(failed), "point"))
	for _, p := range failed {
		fmt.Fprintf(b, "  %s: %s\n", p.ID, indent(p.Error))
	}
}

// shorten cuts a line of a terminal that is longer than most characters.
func shorten(line string, most int) string {
	if r := []rune(line); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return line
}

// indent indents a text of several lines to fit a list, and clips a long one.
func indent(text string) string {
	text = foreign.Reason(text)
	return strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n      ")
}
