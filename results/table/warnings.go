package table

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"dpukv/internal/foreign"
	"dpukv/results"
	"dpukv/results/internal/numfmt"
)

// warningGroup is a set of warnings that differ in their numbers only.
type warningGroup struct {
	example string
	same    bool // all are the example
	points  []string
}

// groupWarnings puts warnings together that differ in their numbers only, the most frequent first.
func groupWarnings(points []*results.Point) []*warningGroup {
	var list []*warningGroup
	byShape := make(map[string]*warningGroup)
	for _, p := range points {
		for _, w := range p.Warnings {
			a := byShape[shape(w)]
			if a == nil {
				a = &warningGroup{example: w, same: true}
				byShape[shape(w)] = a
				list = append(list, a)
			}
			a.same = a.same && w == a.example
			a.points = append(a.points, p.ID)
		}
	}
	slices.SortStableFunc(list, func(a, b *warningGroup) int {
		return cmp.Compare(len(b.points), len(a.points))
	})
	return list
}

// number matches a number by itself; the one in "p99" is a part of a name.
var number = regexp.MustCompile(`\b\d[\d.]*`)

// shape is a warning without its numbers.
func shape(warning string) string { return number.ReplaceAllString(warning, "#") }

// WriteWarnings lists the warnings of points. It groups those that differ in their numbers only,
// and writes nothing if there are none.
func WriteWarnings(b *bytes.Buffer, points []*results.Point) {
	list := groupWarnings(points)
	if len(list) == 0 {
		return
	}
	b.WriteString("\nWarnings:\n")
	for _, a := range list {
		text := foreign.Reason(a.example)
		if !a.same {
			text = "such as: " + text
		}
		fmt.Fprintf(b, "  %d×  %s\n      %s\n", len(a.points), text, someOf(a.points))
	}
}

// someOf names the first few points.
func someOf(ids []string) string {
	const shown = 3
	if len(ids) <= shown {
		return "at " + strings.Join(ids, ", ")
	}
	return fmt.Sprintf("at %s and %d more", strings.Join(ids[:shown], ", "), len(ids)-shown)
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
