package compare

import (
	"cmp"
	"math"
	"slices"
)

// correct sets the corrected p of rows, after Holm: the ith of n, by rising p, is multiplied by n
// less the i before it. If no row differs in truth, the least corrected p is below a level with at
// most that probability.
func correct(rows []*Row) {
	sorted := slices.Clone(rows)
	slices.SortStableFunc(sorted, func(a, b *Row) int { return cmp.Compare(a.P, b.P) })
	greatest := 0.0
	for i, r := range sorted {
		greatest = max(greatest, math.Min(1, float64(len(sorted)-i)*r.P))
		r.Corrected, r.Questions = greatest, len(sorted)
	}
}

// judge decides the rows of one metric. Rows that are not measured, or have too few repeats for
// any verdict, count as no questions.
func judge(rows []Row, higher bool, o *Options) {
	var tested []*Row
	for i := range rows {
		if rows[i].Verdict == Same {
			tested = append(tested, &rows[i])
		}
	}
	correct(tested)
	for _, r := range tested {
		r.decide(higher, o)
	}
}

// decide is for a row with a corrected p. The least attainable p of few repeats may not stand the
// correction over many questions.
func (r *Row) decide(higher bool, o *Options) {
	level := o.Alpha / float64(r.Questions)
	switch {
	case r.Corrected > o.Alpha && smallestP(r.A.N, r.B.N) > level:
		r.Verdict, r.Needed = TooFew, repeatsFor(level)
	case r.Corrected > o.Alpha || r.Change == 0 || math.Abs(r.Change) < o.MinChange:
	case (r.Change > 0) == higher:
		r.Verdict = Better
	default:
		r.Verdict = Worse
	}
}
