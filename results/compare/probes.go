package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"dpukv/results"
)

// conditions are figures that are not compared: under which load a probe measured, and a count that
// may well be 0.
var conditions = []string{"load_bytes_per_s", "retransmits"}

// fillProbes compares the probes of the two sides, each figure of each configuration.
func (c *Comparison) fillProbes(a, b []results.Point, o *Options) {
	questions := pairProbes(a, b)
	var all []*results.Point
	for i := range questions {
		all = append(append(all, questions[i].a...), questions[i].b...)
	}
	own := *o
	own.Metrics = nil
	for _, name := range results.FigureNames(all) {
		if !slices.Contains(conditions, name) {
			own.Metrics = append(own.Metrics, results.FigureMetric(name))
		}
	}
	c.fill(questions, &own)
}

// pairProbes groups the probes of the two sides by configuration. The machine is not part of it:
// another machine is often the question.
func pairProbes(a, b []results.Point) []question {
	at := map[string]int{}
	var list []question
	find := func(p *results.Point) *question {
		label := probeLabel(p)
		i, known := at[label]
		if !known {
			i, at[label] = len(list), len(list)
			list = append(list, question{label: label})
		}
		return &list[i]
	}
	for i := range a {
		if q := find(&a[i]); a[i].Status == results.StatusOK {
			q.a = append(q.a, &a[i])
		} else {
			q.failedA = true
		}
	}
	for i := range b {
		if q := find(&b[i]); b[i].Status == results.StatusOK {
			q.b = append(q.b, &b[i])
		} else {
			q.failedB = true
		}
	}
	return list
}

// probeLabel names a configuration.
func probeLabel(p *results.Point) string {
	words := []string{p.Measure, p.Placement}
	if p.Submode != "" {
		words = append(words, p.Submode)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Settings)) {
		words = append(words, fmt.Sprintf("%s=%s", name, p.Settings[name]))
	}
	return strings.Join(words, " ")
}
