package results

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// conditions are under what the points were measured, for below the figure: what they
// all have in common and the title does not say, and what makes them doubtful.
func (f *figure) conditions() []string {
	points := f.chart.points()
	inTitle := named("store", "get_ratio", "key_bytes", "value_bytes", "batch")
	rest := without(dimensions, inTitle)
	var said []string
	for _, d := range without(rest, varying(rest, points)) {
		said = append(said, d.label(points[0]))
	}
	said = append(said, pinning("server", points, func(p *Point) []int { return p.ServerCPUs }))
	if !slices.ContainsFunc(points, func(p *Point) bool { return len(p.Clients) > 1 }) { // else it depends on the client
		said = append(said, pinning("client", points, func(p *Point) []int { return p.ClientCPUs }))
	}
	said = append(said, f.machines...)
	said = append(said, f.repeats(), f.axisNote(), doubts(points, len(f.chart.Failed)))
	return slices.DeleteFunc(said, func(s string) bool { return s == "" })
}

// pinning says which CPUs an end had, if it was the same ones at all points.
func pinning(end string, points []*Point, cpus func(*Point) []int) string {
	first := cpus(points[0])
	for _, p := range points {
		if !slices.Equal(cpus(p), first) {
			return ""
		}
	}
	return end + " " + points[0].pinned(first)
}

// machines says what env.jsonl tells of the nodes, each kind once. What it does not tell is not said.
func (r *Run) machines() []string {
	env, _, err := r.Env()
	if err != nil {
		return nil // only a line below a figure is lost
	}
	var said []string
	for _, node := range env {
		var facts struct {
			CPUs     int    `json:"cpus"`
			CPUModel string `json:"cpu_model"`
		}
		if json.Unmarshal(node, &facts) != nil || facts.CPUs == 0 {
			continue
		}
		s := count(facts.CPUs, "CPU")
		if facts.CPUModel != "" {
			s += " (" + facts.CPUModel + ")"
		}
		if !slices.Contains(said, s) {
			said = append(said, s)
		}
	}
	return said
}

// repeats says how often and how long it was measured, and what a mark is.
func (f *figure) repeats() string {
	fewest, most := 0, 0
	for _, l := range f.chart.Lines {
		for _, m := range l.Marks {
			n := len(m.Repeats)
			if fewest == 0 || n < fewest {
				fewest = n
			}
			most = max(most, n)
		}
	}
	window := windowText(f.chart.points())
	switch {
	case most == 1:
		return "measured once" + window
	case fewest == most:
		return fmt.Sprintf("%d repeats%s: medians, bars show the range", most, window)
	}
	return fmt.Sprintf("%d to %d repeats%s: medians, bars show the range", fewest, most, window)
}

// windowText is the length of the measured window if all have the same, to a tenth of a second.
func windowText(points []*Point) string {
	seconds := func(p *Point) string {
		return strconv.FormatFloat(math.Round(float64(p.DurationNs)/1e8)/10, 'f', -1, 64)
	}
	for _, p := range points {
		if seconds(p) != seconds(points[0]) {
			return ""
		}
	}
	return " for " + seconds(points[0]) + " s"
}

// axisNote says what the numbers at the marks are.
func (f *figure) axisNote() string {
	if !f.annotated() {
		return ""
	}
	var axes []string
	for _, l := range f.chart.Lines {
		if a := l.Axis.String(); len(l.Marks) > 1 && !slices.Contains(axes, a) {
			axes = append(axes, a)
		}
	}
	if len(axes) == 0 {
		return ""
	}
	return "numbers at marks: " + strings.Join(axes, " or ")
}

// doubts counts what should make a reader look at the table.
func doubts(points []*Point, failed int) string {
	warned := 0
	for _, p := range points {
		if len(p.Warnings) > 0 {
			warned++
		}
	}
	var said []string
	if warned > 0 {
		said = append(said, fmt.Sprintf("%d of %d points with warnings", warned, len(points)))
	}
	if failed > 0 {
		said = append(said, count(failed, "point")+" failed and not drawn")
	}
	return strings.Join(said, ", ")
}
