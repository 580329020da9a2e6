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
	if len(a) > 0 && len(b) > 0 && &a[0] == &b[0] { // a run is compared with itself
		b = slices.Clone(b)
	}
	okB, badB := results.Split(b)
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
	askedA, askedB := asked(badA, ds), asked(badB, ds)
	for _, g := range results.Group(ds, all) {
		q := question{label: name(said, g[0])}
		for _, p := range g {
			if isA[p] {
				q.a = append(q.a, p)
			} else {
				q.b = append(q.b, p)
			}
		}
		q.failedA, q.failedB = askedA(g[0]), askedB(g[0])
		questions = append(questions, q)
	}
	return questions, common
}

// asked returns a function that reports whether one of the failed points was meant as a repeat of a
// point. A failed point does not know what it never came to use, such as a transport. So it is
// looked up by what it knows, among those that know the same.
func asked(failed []*results.Point, ds []*results.Dimension) func(*results.Point) bool {
	type set struct {
		known []*results.Dimension
		keys  map[string]bool
	}
	var sets []*set
	by := map[string]*set{}
	for _, f := range failed {
		known := slices.DeleteFunc(slices.Clone(ds), func(d *results.Dimension) bool {
			return d.Text(f) == ""
		})
		var names strings.Builder
		for _, d := range known {
			names.WriteString(d.Name() + " ")
		}
		s := by[names.String()]
		if s == nil {
			s = &set{known, map[string]bool{}}
			by[names.String()], sets = s, append(sets, s)
		}
		s.keys[results.Key(known, f)] = true
	}
	return func(p *results.Point) bool {
		return slices.ContainsFunc(sets, func(s *set) bool {
			return s.keys[results.Key(s.known, p)]
		})
	}
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
