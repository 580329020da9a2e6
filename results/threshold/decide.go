package threshold

import (
	"fmt"
	"slices"

	"dpukv/internal/numfmt"
	"dpukv/internal/sample"
	"dpukv/results"
)

// Verdict is what points show of a threshold.
type Verdict string

// The verdicts.
const (
	Kept      Verdict = "kept"
	Broken    Verdict = "broken"
	Undecided Verdict = "not decided"
)

// Why a repeat tells neither, and what to do.
const (
	notMeasured = "the figure was not measured"
	lowerBound  = "it is only a lower bound: lower the rate, or measure longer"
	tooShort    = "the period is too short for it: measure longer"
	noHighEnd   = "its interval has no upper end: measure longer"
	disturbed   = "the point is disturbed: measure on a quiet machine (dpukv doctor)"
)

// beyond reports whether a value is beyond the limit.
func (t *Threshold) beyond(x float64) bool {
	return t.above && x > t.limit || !t.above && x < t.limit || t.too && x == t.limit
}

// of decides one point. It says why it decides nothing.
func (t *Threshold) of(p *results.Point) (v Verdict, why string) {
	beyond := t.beyond(t.figure.Of(p))
	moves := beyond != t.above // a higher value may have the other verdict
	switch {
	case !t.figure.Measured(p):
		return Undecided, notMeasured
	case p.Warnings.Has(results.Disturbed):
		return Undecided, disturbed
	case moves && t.figure.LowerBound(p):
		return Undecided, lowerBound
	case moves && t.figure.NoHighEnd(p):
		return Undecided, noHighEnd
	case moves && t.figure.IsTooShort(p):
		return Undecided, tooShort
	case beyond:
		return Broken, ""
	}
	return Kept, ""
}

// decide decides the repeats of one configuration.
func (t *Threshold) decide(repeats []*results.Point) (v Verdict, why string) {
	count := map[Verdict]int{}
	for _, p := range repeats {
		of, because := t.of(p)
		if count[of]++; of == Undecided && why == "" {
			why = because
		}
	}
	for _, v := range []Verdict{Broken, Kept} {
		if agree(count[v], len(repeats)) {
			return v, ""
		}
	}
	all := numfmt.Count(len(repeats), "repeat")
	switch n := count[Undecided]; {
	case len(repeats) == 1:
		return Undecided, why
	case n > 0:
		return Undecided, fmt.Sprintf("of %d of %s, %s", n, all, why)
	}
	return Undecided, fmt.Sprintf("%d of %s break it: more repeats decide, at least %d",
		count[Broken], all, max(results.DefaultRepeats, len(repeats)+1))
}

// agree reports whether so many of all repeats decide: all, or enough for a sign test.
func agree(n, all int) bool {
	ones := slices.Concat(slices.Repeat([]float64{1}, n), make([]float64, all-n))
	median := sample.Center(ones)
	return n == all || !median.Range && median.Low == 1
}

// value is the median of repeats in words, or "" if the figure was not measured.
func (t *Threshold) value(repeats []*results.Point) string {
	measured := slices.DeleteFunc(slices.Clone(repeats), func(p *results.Point) bool {
		return !t.figure.Measured(p)
	})
	if len(measured) == 0 {
		return ""
	}
	text := t.figure.Unit.Text(t.median(measured))
	if slices.ContainsFunc(measured, t.figure.LowerBound) {
		text = "at least " + text
	}
	if n := len(measured); n > 1 {
		text += fmt.Sprintf(", the median of %d repeats", n)
	}
	return text
}

func (t *Threshold) median(repeats []*results.Point) float64 {
	return results.SpreadBy(repeats, t.figure.Of).Median
}

// SayBound says whether a point keeps a bound.
func SayBound(b results.Bound, p *results.Point) string {
	t := ofBound(b)
	if p.Status != results.StatusOK {
		return fmt.Sprintf("%s: not shown to keep it: the point failed", b)
	}
	value := t.value([]*results.Point{p})
	switch v, why := t.of(p); {
	case v != Undecided:
		return fmt.Sprintf("%s: %s: %s", b, v, value)
	case !t.figure.Measured(p):
		return fmt.Sprintf("%s: not shown to keep it: %s", b, why)
	case t.beyond(t.figure.Of(p)):
		return fmt.Sprintf("%s: not shown to keep it: the estimate, %s, breaks it, but %s", b,
			value, why)
	default:
		return fmt.Sprintf("%s: not shown to keep it: the estimate, %s, keeps it, but %s", b,
			value, why)
	}
}
