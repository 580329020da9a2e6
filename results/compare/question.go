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

// pair puts the points of the two sides together that agree in ds, and says in which of ds all agree.
func pair(a, b []results.Point, ds []*results.Dimension) (questions []question, common string) {
	okA, badA := results.Split(a)
	okB, badB := results.Split(slices.Clone(b)) // a run may be held against itself
	isA := make(map[*results.Point]bool, len(okA))
	for _, p := range okA {
		isA[p] = true
	}
	all := slices.Concat(okA, okB)
	if len(all) == 0 {
		return nil, ""
	}
	varying := results.Varying(ds, all)
	common = results.Labels(results.Without(ds, varying), all[0])
	said := results.Telling(varying, all)
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
	return questions, common
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
