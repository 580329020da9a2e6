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

// WriteWarnings lists the warnings of points. It groups those that differ in their numbers only,
// and writes nothing if there are none.
func WriteWarnings(b *bytes.Buffer, points []*results.Point) {
	list := GroupWarnings(points)
	if len(list) == 0 {
		return
	}
	b.WriteString("\nWarnings:\n")
	for _, a := range list {
		text := foreign.Reason(a.Example.String())
		if !a.Same {
			text = "such as: " + text
		}
		fmt.Fprintf(b, "  %d×  %s\n      %s\n", len(a.Points), text, someOf(a.Points))
	}
}

// someOf names the first few points.
func someOf(points []*results.Point) string {
	const shown = 3
	var ids []string
	for _, p := range points[:min(shown, len(points))] {
		ids = append(ids, p.ID)
	}
	said := "at " + strings.Join(ids, ", ")
	if more := len(points) - len(ids); more > 0 {
		said += fmt.Sprintf(" and %d more", more)
	}
	return said
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

// indent indents a text of several lines to fit a list, and clips a long one.
func indent(text string) string {
	text = foreign.Reason(text)
	return strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n      ")
}
