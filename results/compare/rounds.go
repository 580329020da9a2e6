package compare

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"dpukv/results"
)

// buildDimension is what tells two builds of one sweep apart.
const buildDimension = "build"

// Builds compares two builds that one sweep measured side by side, with the base. Each round is a
// pair.
func Builds(run Side, base, other string, o Options) (*Comparison, error) {
	of := func(build string) Side {
		side := run
		side.Name = fmt.Sprintf("build %s of %s", build, run.Name)
		side.Points = slices.DeleteFunc(slices.Clone(run.Points), func(p results.Point) bool {
			return p.Build != build
		})
		return side
	}
	o.Ignore = append(slices.Clone(o.Ignore), buildDimension)
	o.unit = OfRounds
	return compareSides(of(base), of(other), o)
}

// round is what the two sides of a pair have in common.
type round struct{ source, repeat int }

// inRounds leaves the answers of a question that have one of the other side in their round, in the
// order of the rounds. Without any, side B has no answer.
func (q *question) inRounds() {
	if len(q.a) == 0 || len(q.b) == 0 {
		return
	}
	a, b := byRound(q.a), byRound(q.b)
	var inA, inB []*results.Point
	for _, r := range slices.SortedFunc(maps.Keys(a), round.compare) {
		if b[r] != nil {
			inA, inB = append(inA, a[r]), append(inB, b[r])
		}
	}
	if q.b = inB; inA != nil {
		q.a = inA
	}
}

func byRound(points []*results.Point) map[round]*results.Point {
	of := make(map[round]*results.Point, len(points))
	for _, p := range points {
		of[roundOf(p)] = p
	}
	return of
}

func roundOf(p *results.Point) round { return round{p.Source, p.Repeat} }

func (r round) compare(o round) int {
	return cmp.Or(r.source-o.source, r.repeat-o.repeat)
}

// pairs are the values of a question's rounds.
func (q *question) pairs(m *results.Metric) Pairs {
	return Pairs{OfRounds.values(q.a, m), OfRounds.values(q.b, m)}
}

// measured reports whether no value is missing.
func (p Pairs) measured() bool { return !slices.Contains(p.A, 0) && !slices.Contains(p.B, 0) }

// pairedRow is the row of pairs, tested by those of cases: the same, or what each of them is the
// mean of.
func pairedRow(label string, m *results.Metric, pairs Pairs, cases []Pairs, o *Options) Row {
	row := newRow(label, m, pairs.A, pairs.B)
	row.cases = len(cases)
	if row.Verdict == NotMeasured {
		return row
	}
	for _, c := range cases {
		row.pairs += len(c.A)
	}
	row.conclude(SignedRank(cases...), Pairs{A: pairs.B, B: pairs.A}.Ratio(), o)
	return row
}

// together is the row of all questions with a figure: the geometric mean over them, by round. Its
// test is that of all pairs, with ranks of their own in each question. It needs two questions, and
// a round that all have.
func together(questions []*question, m *results.Metric, o *Options) (row Row, ok bool) {
	var cases []Pairs
	sums, n := map[round][2]float64{}, map[round]int{}
	for _, q := range questions {
		pairs := q.pairs(m)
		if !pairs.measured() {
			return Row{}, false
		}
		cases = append(cases, pairs)
		for i := range q.a {
			r := roundOf(q.a[i])
			sums[r] = [2]float64{
				sums[r][0] + math.Log(pairs.A[i]), sums[r][1] + math.Log(pairs.B[i]),
			}
			n[r]++
		}
	}
	var means Pairs
	for _, r := range slices.SortedFunc(maps.Keys(sums), round.compare) {
		if k := float64(len(questions)); n[r] == len(questions) {
			means.A = append(means.A, math.Exp(sums[r][0]/k))
			means.B = append(means.B, math.Exp(sums[r][1]/k))
		}
	}
	if len(questions) < 2 || len(means.A) == 0 {
		return Row{}, false
	}
	label := fmt.Sprintf("all %d together (geometric mean)", len(questions))
	return pairedRow(label, m, means, cases, o), true
}

// roundsFor is the minimum number of rounds for any verdict at this level: of so many cases, that
// are tested together.
func roundsFor(level float64, cases int) int {
	pairs := 1 + math.Ceil(-math.Log2(level))
	return int(math.Ceil(pairs / float64(cases)))
}

// RoundsOf returns how many rounds the comparison of two builds takes at the usual level for a
// verdict about each of so many settings, and about all together, and the number of its figures.
func RoundsOf(settings int) (each, all, figures int) {
	metrics, err := ParseMetrics(DefaultMetrics)
	if err != nil {
		panic(err) // it is a list of this package
	}
	figures = len(metrics) * settings
	if settings > 1 {
		figures += len(metrics)
	}
	level := (1 - results.Confidence) / float64(figures)
	return roundsFor(level, 1), roundsFor(level, max(1, settings)), figures
}
