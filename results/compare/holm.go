package compare

import (
	"cmp"
	"math"
	"slices"
)

// Holm corrects the p of several tests: the ith of n, by rising p, is multiplied by n less the i
// before it. If nothing differs in truth, the least corrected p is below a level with at most that
// probability.
func Holm(ps []float64) []float64 {
	order, corrected := make([]int, len(ps)), make([]float64, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(ps[i], ps[j]) })
	greatest := 0.0
	for i, at := range order {
		greatest = max(greatest, math.Min(1, float64(len(ps)-i)*ps[at]))
		corrected[at] = greatest
	}
	return corrected
}

// correct sets the corrected p of rows.
func correct(rows []*Row) {
	ps := make([]float64, len(rows))
	for i, r := range rows {
		ps[i] = r.P
	}
	for i, p := range Holm(ps) {
		rows[i].Corrected, rows[i].Questions = p, len(rows)
	}
}

// judge decides the rows of all metrics together, because any of them can stop a script. Rows that
// are not measured, or have too few repeats for any verdict, are none of the questions, whose
// number it returns.
func judge(rows []Row, o *Options) int {
	var tested, few []*Row
	for i := range rows {
		switch r := &rows[i]; r.Verdict {
		case Same:
			tested = append(tested, r)
		case TooFew:
			few = append(few, r)
		}
	}
	correct(tested)
	for _, r := range tested {
		r.decide(o)
	}
	for _, r := range few { // with more repeats, they would be tested too
		r.Questions = len(tested) + len(few)
		r.Needed = r.needs(o.Alpha / float64(r.Questions))
	}
	return len(tested)
}

// decide is for a row with a corrected p. The least attainable p of few repeats may not stand the
// correction over many rows.
func (r *Row) decide(o *Options) {
	level := o.Alpha / float64(r.Questions)
	switch {
	case r.Corrected > o.Alpha && r.least() > level:
		r.Verdict, r.Needed = TooFew, r.needs(level)
	case r.Corrected > o.Alpha || r.Change == 0 || math.Abs(r.Change) < o.MinChange:
	case (r.Change > 0) == r.higher:
		r.Verdict = Better
	default:
		r.Verdict = Worse
	}
}
