package compare

import (
	"slices"
	"strings"

	"dpukv/results"
)

// question is one configuration, with the answers of both sides: the repeats that are ok.
type question struct {
	label            string
	a, b             []*results.Point
	failedA, failedB bool // a repeat failed
}

// pair puts the points of the two sides together that agree in ds.
func pair(a, b []results.Point, ds []*results.Dimension) []question {
	okA, badA := results.Split(a)
	okB, badB := results.Split(slices.Clone(b)) // a run may be held against itself
	isA := make(map[*results.Point]bool, len(okA))
	for _, p := range okA {
		isA[p] = true
	}
	all := slices.Concat(okA, okB)
	said := results.Varying(ds, all)
	var questions []question
	for _, g := range results.Group(ds, all) {
		q := question{label: name(said, g[0])}
		for _, p := range g {
			if isA[p] {
				q.a = append(q.a, p)
			} else {
				q.b = append(q.b, p)
			}
		}
		q.failedA = slices.ContainsFunc(badA, func(f *results.Point) bool { return asks(f, g[0], ds) })
		q.failedB = slices.ContainsFunc(badB, func(f *results.Point) bool { return asks(f, g[0], ds) })
		questions = append(questions, q)
	}
	return questions
}

// asks reports whether a point that failed was to be a repeat of p. What it did not
// come far enough to use, such as a transport, it does not know.
func asks(failed, p *results.Point, ds []*results.Dimension) bool {
	for _, d := range ds {
		if text := d.Text(failed); text != "" && text != d.Text(p) {
			return false
		}
	}
	return true
}

// name is a question's, from what varies, else from what it is about.
func name(said []*results.Dimension, p *results.Point) string {
	if label := results.Labels(said, p); label != "" {
		return label
	}
	return strings.TrimSpace(p.Store + " " + p.Placement)
}
