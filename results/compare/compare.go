package compare

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"

	"dpukv/internal/sample"
	"dpukv/results"
)

// Compare compares b with the baseline a.
func Compare(a, b Side, o Options) (*Comparison, error) {
	o.unit = unit(a, b)
	return compareSides(a, b, o)
}

func compareSides(a, b Side, o Options) (*Comparison, error) {
	o.Alpha = cmp.Or(o.Alpha, 0.05)
	if o.Metrics == nil {
		o.Metrics, _ = ParseMetrics(DefaultMetrics)
	}
	ignored, err := results.FindDimensions(o.Ignore...)
	if err != nil {
		return nil, fmt.Errorf("ignore: %w", err)
	}
	c := &Comparison{
		A: summarize(a), B: summarize(b), Unit: o.unit, Alpha: o.Alpha,
		Ignored: append([]string{}, o.Ignore...),
		Rows:    []Row{}, OnlyA: []string{}, OnlyB: []string{}, FailedA: []string{},
		FailedB: []string{},
	}
	if o.unit == OfRepeats {
		c.Limit = "two runs, no common rounds: an offset between runs counts as a difference"
	}
	var probesA, probesB []results.Point
	a.Points, probesA = results.Separate(a.Points)
	b.Points, probesB = results.Separate(b.Points)
	questions, common := pair(a.Points, b.Points,
		results.Without(results.Without(results.Dimensions(), ignored), givenMachine(a, b)))
	c.Common, c.OtherMachines = common, otherMachines(questions)
	if o.unit == OfRounds {
		for i := range questions {
			questions[i].inRounds()
		}
	}
	c.fill(questions, &o)
	c.fillProbes(probesA, probesB, &o)
	c.questions = judge(c.Rows, &o)
	c.Tested = len(c.Rows) - c.Count(TooFew) - c.Count(NotMeasured)
	if len(c.Rows) == 0 && len(c.FailedB) == 0 {
		return c, c.nothingInCommon()
	}
	return c, nil
}

func summarize(s Side) Summary {
	sum := Summary{
		Name: s.Name, Machines: append([]string{}, s.Machines...), Folders: s.Folders,
	}
	for i := range s.Points {
		switch p := &s.Points[i]; {
		case p.Status != results.StatusOK:
			sum.Failed++
		case p.Emulated:
			sum.Emulated++
			fallthrough
		default:
			sum.Points++
		}
	}
	return sum
}

// ErrNoVerdict is wrapped if nothing could be decided: neither that something got worse, nor that
// nothing did.
var ErrNoVerdict = errors.New("no verdict")

// ErrNothingInCommon is wrapped, with [ErrNoVerdict], if both sides answered no common question.
var ErrNothingInCommon = errors.New("the two runs have no point in common")

func (c *Comparison) nothingInCommon() error {
	hint := "compare both with dpukv report"
	if len(c.OnlyA) > 0 && len(c.OnlyB) > 0 {
		hint = fmt.Sprintf("A has %q, B has %q; --ignore leaves out a dimension",
			c.OnlyA[0], c.OnlyB[0])
	}
	return fmt.Errorf("%w: %w: %s", ErrNoVerdict, ErrNothingInCommon, hint)
}

func (c *Comparison) fill(questions []question, o *Options) {
	for _, m := range o.Metrics {
		var both []*question
		for i := range questions {
			if q := &questions[i]; len(q.a) > 0 && len(q.b) > 0 && q.has(m) {
				both, c.Rows = append(both, q), append(c.Rows, q.row(m, o))
			}
		}
		if o.unit == OfRounds {
			if row, ok := together(both, m, o); ok {
				c.Rows = append(c.Rows, row)
			}
		}
	}
	for i := range questions {
		q := &questions[i]
		switch {
		case len(q.a) > 0 && len(q.b) > 0:
			c.warned = append(c.warned, q.a...)
			c.warned = append(c.warned, q.b...)
		case len(q.a) > 0 && q.failedB:
			c.FailedB = append(c.FailedB, q.label)
		case len(q.b) > 0 && q.failedA:
			c.FailedA = append(c.FailedA, q.label)
		case len(q.a) > 0:
			c.OnlyA = append(c.OnlyA, q.label)
		case len(q.b) > 0:
			c.OnlyB = append(c.OnlyB, q.label)
		}
	}
}

// Count returns how many rows have a verdict.
func (c *Comparison) Count(v Verdict) (n int) {
	for i := range c.Rows {
		if c.Rows[i].Verdict == v {
			n++
		}
	}
	return n
}

// Err is the reason for a script to stop, or nil. The reasons are: figures got worse, points failed
// that did not fail before, or all comparisons have too few repeats. The last alone wraps
// [ErrNoVerdict].
func (c *Comparison) Err() error {
	var said []string
	if n := c.Count(Worse); n > 0 {
		said = append(said, fmt.Sprintf("%d of %d figures got worse", n, len(c.Rows)))
	}
	if n := len(c.FailedB); n > 0 {
		said = append(said, fmt.Sprintf("%d configurations that A measured failed in B", n))
	}
	switch {
	case said != nil:
		return errors.New(strings.Join(said, "; "))
	case c.Tested > 0:
		return nil
	case c.Count(NotMeasured) > 0:
		return fmt.Errorf("%w: no figure was measured on both sides with enough %s",
			ErrNoVerdict, c.Unit)
	}
	return fmt.Errorf("%w: every comparison has too few %s for %d figures: take more, or name "+
		"fewer figures with --metrics", ErrNoVerdict, c.Unit, len(c.Rows))
}

// has reports whether both sides have the figure.
func (q *question) has(m *results.Metric) bool {
	return m.Has == nil || m.Has(q.a[0]) && m.Has(q.b[0])
}

// row compares a figure of both sides.
func (q *question) row(m *results.Metric, o *Options) Row {
	if o.unit == OfRounds {
		pairs := q.pairs(m)
		return pairedRow(q.label, m, pairs, []Pairs{pairs}, o)
	}
	a, b := o.unit.values(q.a, m), o.unit.values(q.b, m)
	row := newRow(q.label, m, a, b)
	if row.Verdict != NotMeasured {
		row.conclude(UTest(a, b), Ratio(b, a), o)
	}
	return row
}

// newRow has no verdict yet: it is [Same] until judge, unless a value is missing.
func newRow(label string, m *results.Metric, a, b []float64) Row {
	row := Row{
		Label: label, Metric: m.Name, Unit: m.Unit.Bench.Name, A: estimate(a), B: estimate(b),
		P: 1, Corrected: 1, Verdict: Same, higher: m.Higher,
	}
	if slices.Contains(a, 0) || slices.Contains(b, 0) {
		row.Verdict = NotMeasured
	}
	return row
}

// conclude sets the outcome of the row's own test.
func (r *Row) conclude(p float64, ratio sample.Interval, o *Options) {
	r.P, r.Corrected = p, p
	r.Change, r.Lo, r.Hi = change(ratio)
	if r.least() > o.Alpha {
		r.Verdict = TooFew
	}
}

func estimate(values []float64) Estimate {
	t := benchmath.DefaultThresholds
	s := benchmath.NewSample(slices.Clone(values), &t)
	sum := benchmath.AssumeNothing.Summary(s, results.Confidence)
	e := Estimate{N: len(s.Values), Median: sum.Center, text: sum}
	if !math.IsInf(sum.Lo, 0) && !math.IsInf(sum.Hi, 0) {
		e.Lo, e.Hi = &sum.Lo, &sum.Hi
	}
	return e
}

// SmallestP is the smallest attainable two-sided p of samples of n and m values: 2 / C(n+m, n).
func SmallestP(n, m int) float64 {
	ways := 1.0
	for i := 1; i <= n; i++ {
		ways *= float64(m+i) / float64(i)
	}
	return 2 / ways
}

// least is the least attainable p of the row.
func (r *Row) least() float64 {
	if r.cases > 0 {
		return math.Exp2(float64(1 - r.pairs))
	}
	return SmallestP(r.A.N, r.B.N)
}

// needs is the minimum number of values a side for a verdict of the row at this level.
func (r *Row) needs(level float64) int {
	if r.cases > 0 {
		return roundsFor(level, r.cases)
	}
	return RepeatsFor(level)
}

// RepeatsFor is the minimum number of repeats a side for any verdict at this level.
func RepeatsFor(alpha float64) int {
	n := 1
	for SmallestP(n, n) > alpha {
		n++
	}
	return n
}
