package answer

import (
	"fmt"
	"slices"
	"strings"

	"dpukv/internal/numfmt"
	"dpukv/results"
)

var (
	// paths are what tells placements apart: their own name and the way between the two sides.
	paths = []string{"placement", "submode", "datapath", "transport", "provider"}
	// conditions are never compared: the workload, how it is offered, and what machines stand for.
	conditions = []string{
		"get_ratio", "dist", "keys", "key_bytes", "value_bytes", "rate_ops", "arrivals", "loop",
		"on_miss", "fill_delay_ns", "memory_bytes", "client_threads", "filter", "emulated_testbed",
	}
)

// question is what a run compares, and under which conditions.
type question struct {
	choices []*results.Dimension // that are compared
	noun    string               // of what is compared: "placement"
}

func newQuestion(ok []*results.Point) *question {
	q := &question{choices: results.Named(paths...), noun: "configuration"}
	if len(results.Varying(results.Named("machine"), ok)) == 0 { // it follows from the placement
		q.choices = append(q.choices, results.Named("machine")...)
	}
	if len(results.Varying(results.Named("placement"), ok)) == 0 {
		q.choices = results.Without(results.Dimensions(), results.Named(conditions...))
	}
	return q
}

// races sorts lines into sets that agree in all other dimensions than those compared.
func (q *question) races(lines []results.Line) []race {
	along := make(map[*results.Dimension][]*results.Line)
	var axes []*results.Dimension
	for i := range lines {
		l := &lines[i]
		if along[l.Axis] == nil {
			axes = append(axes, l.Axis)
		}
		along[l.Axis] = append(along[l.Axis], l)
	}
	var races []race
	for _, axis := range axes {
		found := q.racesAlong(axis, along[axis])
		if len(axes) > 1 {
			for i := range found {
				found[i].condition = joinedWords("along "+axis.Title(), found[i].condition)
			}
		}
		races = append(races, found...)
	}
	return races
}

// joinedWords joins labels as [results.Labels] does.
func joinedWords(words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(s string) bool { return s == "" }), ", ")
}

func (q *question) racesAlong(axis *results.Dimension, lines []*results.Line) []race {
	var firsts []*results.Point
	of := make(map[*results.Point]*results.Line)
	for _, l := range lines {
		first := l.Marks[0].Repeats[0]
		firsts, of[first] = append(firsts, first), l
	}
	axes := []*results.Dimension{axis}
	choices := results.Without(q.choices, axes)
	given := results.Without(results.Without(results.Dimensions(), q.choices), axes)
	said := results.Telling(results.Varying(choices, firsts), firsts)
	if len(said) == 1 && !said[0].Numeric() {
		q.noun = said[0].Title()
	}
	told := results.Telling(results.Varying(given, firsts), firsts)
	real := slices.ContainsFunc(firsts, func(p *results.Point) bool { return !p.Emulated })
	var races []race
	for _, g := range results.Group(given, firsts) {
		r := race{condition: results.Labels(told, g[0])}
		for _, p := range g {
			r.entries = append(r.entries, entry{line: of[p], label: label(said, p, real)})
		}
		races = append(races, r)
	}
	return races
}

// label names a line by what is compared. It marks an emulated line among real ones.
func label(said []*results.Dimension, p *results.Point, real bool) string {
	text := results.Labels(said, p)
	if text == "" {
		text = results.Labels(results.Named("store", "placement"), p)
	}
	if p.Emulated && real {
		text += " (emulated)"
	}
	return text
}

// failedText says how many points of which lines failed.
func failedText(points []*results.Point) string {
	if len(points) == 0 {
		return ""
	}
	var parts []string
	for _, g := range results.Group(results.Named("placement"), points) {
		parts = append(parts, numfmt.Grouped(len(g))+" of "+g[0].Placement)
	}
	return fmt.Sprintf("%s failed and %s not compared: %s.", numfmt.Count(len(points), "point"),
		numfmt.Are(len(points)), strings.Join(parts, ", "))
}

// emulatedText names the substitutes for hardware behind points.
func emulatedText(points []*results.Point) string {
	var list []string
	for _, p := range points {
		text := p.Substitute
		switch {
		case p.EmulatedTestbed != "":
			text = p.EmulatedTestbed
		case p.Emulated:
			text = p.Provider
		}
		if text != "" && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return strings.Join(list, "; ")
}
