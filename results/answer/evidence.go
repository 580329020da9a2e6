package answer

import (
	"fmt"
	"math"

	"dpukv/internal/numfmt"
	"dpukv/internal/sample"
	"dpukv/results"
	"dpukv/results/compare"
)

// evidence is what the repeats say of a figure of two marks.
type evidence struct {
	ratio sample.Interval // of one over the other
	p     float64
	far   bool
	// pairs are of common rounds. There are none where the repeats are of several runs.
	pairs  compare.Pairs
	paired bool // ratio and p are those of the pairs
	n, m   int  // repeats of the one and of the other
}

// weigh compares two marks, one of so many cases: by their rounds, or by all repeats, where these
// have no rounds in common, or too few for so many cases.
func weigh(of func(*results.Point) float64, a, b *results.Mark, cases int) *evidence {
	x, y := results.Values(a.Repeats, of), results.Values(b.Repeats, of)
	e := &evidence{n: len(x), m: len(y), far: compare.FarApart(x, y), pairs: rounds(of, a, b)}
	level := alpha / float64(cases)
	if n := len(e.pairs.A); n > 0 {
		e.paired = n >= pairsFor(level) || n < compare.RepeatsFor(level)
	}
	if e.paired {
		e.ratio, e.p = e.pairs.Ratio(), compare.SignedRank(e.pairs)
	} else {
		e.ratio, e.p = compare.Ratio(x, y), compare.UTest(x, y)
	}
	return e
}

// pairsFor is how many pairs have a p of at most the level at best: 2/2^n.
func pairsFor(level float64) int { return 1 + int(math.Ceil(-math.Log2(level)-1e-9)) }

// rounds pairs the repeats of the same number. A number that comes twice is of two runs, whose
// rounds have nothing in common.
func rounds(of func(*results.Point) float64, a, b *results.Mark) (p compare.Pairs) {
	each := func(m *results.Mark) map[int]float64 {
		byRound := map[int]float64{}
		for _, p := range m.Repeats {
			byRound[p.Repeat] = of(p)
		}
		return byRound
	}
	x, y := each(a), each(b)
	if len(x) < len(a.Repeats) || len(y) < len(b.Repeats) {
		return p
	}
	for _, r := range a.Repeats {
		if other, has := y[r.Repeat]; has {
			p.A, p.B = append(p.A, x[r.Repeat]), append(p.B, other)
		}
	}
	return p
}

// saidP is a p in words. Floats end a little below the least that it says.
func saidP(p float64) string {
	const least = 1e-300
	if p < least {
		return fmt.Sprintf("p < %g", least)
	}
	return fmt.Sprintf("p = %.2g", p)
}

// rounds is how many repeats of either the test has.
func (e *evidence) rounds() int {
	if e.paired {
		return len(e.pairs.A)
	}
	return min(e.n, e.m)
}

// needed is how many repeats a verdict at this level takes: by pairs, or by the other test if that
// takes fewer.
func (e *evidence) needed(level float64) int {
	return min(pairsFor(level), compare.RepeatsFor(level))
}

// sure is the interval of the ratio, and what it rests on. Too few repeats have their range
// instead.
func (e *evidence) sure() string {
	of := fmt.Sprintf("%g %% interval: ", 100*results.Confidence)
	if e.ratio.Range {
		of = "over all repeats: "
	}
	if e.ratio.Low < e.ratio.High {
		of += numfmt.Digits3(e.ratio.Low) + " to " + numfmt.Digits3(e.ratio.High) + "; "
	} else {
		of = ""
	}
	return "(" + of + e.counted() + ")"
}

// counted are the rounds or the repeats behind a test.
func (e *evidence) counted() string {
	switch {
	case e.paired:
		return numfmt.Count(len(e.pairs.A), "round")
	case e.n == e.m:
		return numfmt.Count(e.n, "repeat") + " each"
	}
	return fmt.Sprintf("%d and %d repeats", e.n, e.m)
}
