package compare

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpukv/results"
)

// TestSignedRank: the p of the tables (Wilcoxon 1945; Hollander and Wolfe, table A.4), and 1 where
// nothing differs.
func TestSignedRank(t *testing.T) {
	up := func(n int) (p Pairs) {
		for i := range n {
			p.A, p.B = append(p.A, 2+float64(i)/10), append(p.B, 1)
		}
		return p
	}
	six := up(6)
	mixed := Pairs{A: []float64{0.99, 2, 3, 4, 5, 6}, B: []float64{1, 1, 1, 1, 1, 1}}
	for name, row := range map[string]struct {
		cases []Pairs
		want  float64
	}{
		"six of six":              {[]Pairs{six}, 2.0 / 64},
		"five of five":            {[]Pairs{up(5)}, 2.0 / 32},
		"the least of six is not": {[]Pairs{mixed}, 4.0 / 64},
		"two cases of six":        {[]Pairs{six, six}, 2.0 / 4096},
		"one for, one against":    {[]Pairs{six, {A: six.B, B: six.A}}, 1},
		"equal":                   {[]Pairs{{A: six.B, B: six.B}}, 1},
	} {
		if got := SignedRank(row.cases...); math.Abs(got-row.want) > 1e-12 {
			t.Errorf("%s: found %v, want %v", name, got, row.want)
		}
	}
}

// stateful are two sides whose rounds share a state that moves from round to round by 3 %, beside a
// noise of 1 % of their own.
func stateful(random *rand.Rand, rounds int, change float64) (p Pairs) {
	const keeps, moves, own = 0.5, 0.03, 0.01
	state := moves * random.NormFloat64()
	for range rounds {
		state = keeps*state + math.Sqrt(1-keeps*keeps)*moves*random.NormFloat64()
		p.A = append(p.A, change*math.Exp(state+own*random.NormFloat64()))
		p.B = append(p.B, math.Exp(state+own*random.NormFloat64()))
	}
	return p
}

// TestPairsSeeThroughASharedState: where rounds share a state, pairs find a change of 3 % that the U
// test misses, at the level that is asked for. Their interval holds the truth as often as it says.
func TestPairsSeeThroughASharedState(t *testing.T) {
	const trials, rounds = 2000, 6
	random := rand.New(rand.NewPCG(5, 6))
	found := func(change float64) (pairs, unpaired, held int) {
		for range trials {
			p := stateful(random, rounds, change)
			if SignedRank(p) <= 0.05 {
				pairs++
			}
			if exactP(p.A, p.B) <= 0.05 {
				unpaired++
			}
			if r := p.Ratio(); !r.Range && r.Low <= change && change <= r.High {
				held++
			}
		}
		return pairs, unpaired, held
	}
	pairs, unpaired, held := found(1.03)
	wrong, _, _ := found(1)
	t.Logf("of %d changes, pairs find %d and the U test %d; of none, pairs find %d; intervals held %d",
		trials, pairs, unpaired, wrong, held)
	if pairs < trials*85/100 || pairs < 2*unpaired || wrong > trials*5/100 ||
		float64(held) < trials*(results.Confidence-0.01) {
		t.Error("pairs do not do what they are for")
	}
}

// TestFarApart: twice is far, less is not, and two repeats are none. Equal lines that are disturbed
// now and then are seldom far apart.
func TestFarApart(t *testing.T) {
	for _, row := range []struct {
		a, b []float64
		want bool
	}{
		{[]float64{2, 3, 4}, []float64{1, 1, 1}, true},
		{[]float64{1.99, 3, 4}, []float64{1, 1, 1}, false},
		{[]float64{9, 9}, []float64{1, 1, 1}, false},
		{[]float64{1, 1, 1}, []float64{2, 3, 4}, false},
	} {
		if got := FarApart(row.a, row.b); got != row.want {
			t.Errorf("%v over %v: found %v", row.a, row.b, got)
		}
	}
	random, far := rand.New(rand.NewPCG(7, 8)), 0
	const trials = 20000
	for range trials {
		side := func() (v []float64) {
			for range 3 {
				x := math.Exp(0.03 * random.NormFloat64())
				if random.IntN(10) == 0 {
					x /= 3
				}
				v = append(v, x)
			}
			return v
		}
		if FarApart(side(), side()) {
			far++
		}
	}
	if far > trials*2/1000 {
		t.Errorf("%d of %d equal lines are far apart", far, trials)
	}
}
