package compare

import (
	"fmt"
	"slices"
	"strings"

	"dpukv/results"
)

// question is one configuration with both sides' answers: the repeats that are ok.
type question struct {
	label            string
	a, b             []*results.Point
	failedA, failedB bool // a repeat failed
}

// pair groups the points of the two sides that agree in ds. It also names the dimensions of ds in
// which all points agree.
func pair(a, b []results.Point, ds []*results.Dimension) (questions []question, common string) {
	okA, badA := results.Split(a)
	okB, badB := results.Split(slices.Clone(b)) // a run may be compared with itself
	isA := make(map[*results.Point]bool, len(okA))
	for _, p := range okA {
		isA[p] = true
	}
	all := slices.Concat(okA, okB)
	if len(all) == 0 {
		return nil, ""
	}
	varying := results.Varying(ds, all)
	common = strings.Join(results.Common(ds, all), ", ")
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
		q.failedA = slices.ContainsFunc(badA, func(f *results.Point) bool {
			return asks(f, g[0], ds)
		})
		q.failedB = slices.ContainsFunc(badB, func(f *results.Point) bool {
			return asks(f, g[0], ds)
		})
		questions = append(questions, q)
	}
	return questions, common
}

// asks reports whether a failed point was meant as a repeat of p. The failed point does not know
// what it never came to use, such as a transport.
func asks(failed, p *results.Point, ds []*results.Dimension) bool {
	for _, d := range ds {
		if text := d.Text(failed); text != "" && text != d.Text(p) {
			return false
		}
	}
	return true
}

// name is a question's name: the dimensions that vary, else the subject of the question.
func name(said []*results.Dimension, p *results.Point) string {
	if label := results.Labels(said, p); label != "" {
		return label
	}
	return strings.TrimSpace(p.Store + " " + results.Named("placement")[0].Shown(p))
}

// givenMachine is the dimension of the machine if the question is what another machine changes:
// neither side has a placement on several machines. Else points of one machine are compared.
func givenMachine(a, b Side) []*results.Dimension {
	of := results.Named("machine")
	for _, points := range [][]results.Point{a.Points, b.Points} {
		if ok, _ := results.Split(points); len(results.Varying(of, ok)) > 0 {
			return nil
		}
	}
	return of
}

// otherMachines names the machines of the first question whose sides are of different ones.
func otherMachines(questions []question) string {
	of := results.Named("machine")[0]
	for i := range questions {
		q := &questions[i]
		if len(q.a) == 0 || len(q.b) == 0 {
			continue
		}
		a, b := q.a[0], q.b[0]
		if a.Machine != "" && b.Machine != "" && a.Machine != b.Machine {
			return fmt.Sprintf("A %s, B %s", of.Label(a), of.Label(b))
		}
	}
	return ""
}
