package compare

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/perf/benchmath"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
)

// enumerated is the p by its definition: it looks at every way to split the values.
func enumerated(a, b []float64) float64 {
	all := slices.Concat(a, b)
	u := func(taken uint) (u float64) { // pairs in which the taken one is greater; a tie is half a pair
		for i, x := range all {
			for j, y := range all {
				if taken>>i&1 == 0 || taken>>j&1 == 1 {
					continue
				}
				switch {
				case x > y:
					u++
				case x == y:
					u += 0.5
				}
			}
		}
		return u
	}
	own := u(1<<len(a) - 1)
	ways, below, above := 0.0, 0.0, 0.0
	for taken := range uint(1) << len(all) {
		if bits.OnesCount(taken) != len(a) {
			continue
		}
		ways++
		if u(taken) <= own {
			below++
		}
		if u(taken) >= own {
			above++
		}
	}
	return min(1, 2*min(below, above)/ways)
}

func TestExactPIsThatOfAllSplits(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	values := func(different int) (list []float64) {
		for range 1 + rng.IntN(5) {
			list = append(list, float64(rng.IntN(different)))
		}
		return list
	}
	for _, different := range []int{1, 2, 4, 10, 1e9} { // with ties, and practically without
		for range 60 {
			a, b := values(different), values(different)
			if got, want := exactP(a, b), enumerated(a, b); math.Abs(got-want) > 1e-12 {
				t.Errorf("%v and %v: p is %v, want %v", a, b, got, want)
			}
		}
	}
}

// Without ties, benchstat's p is right, and exactP equals it.
func TestExactPIsBenchstats(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int{4, 10, 25} {
		var a, b []float64
		for range n {
			a, b = append(a, rng.Float64()), append(b, rng.Float64()+0.2)
		}
		t.Run("", func(t *testing.T) {
			x, y := benchmath.NewSample(a, &benchmath.DefaultThresholds),
				benchmath.NewSample(b, &benchmath.DefaultThresholds)
			want := benchmath.AssumeNothing.Compare(x, y).P
			if got := UTest(a, b); math.Abs(got-want) > 1e-9 {
				t.Errorf("%d values a side: p is %v, want %v", n, got, want)
			}
		})
	}
}

// The approximation takes over without a jump.
func TestApproximationIsNearTheExactP(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 20 {
		var a, b []float64
		for range 26 {
			a, b = append(a, float64(rng.IntN(30))), append(b, float64(rng.IntN(30)+5))
		}
		if got, want := UTest(a, b), exactP(a, b); math.Abs(got-want) > 0.01 {
			t.Errorf("p is %v, exactly %v", got, want)
		}
	}
}

// The samples have different sizes and ties. Benchstat gives 0.048, but of 210 ways to mix them, 20
// are as far apart on this side.
func TestEqualValuesInUnequalSamplesAreNoDifference(t *testing.T) {
	side := func(values ...float64) Side {
		var s Side
		for i, v := range values {
			s.Points = append(s.Points, resultstest.Point(func(p *results.Point) {
				p.Repeat, p.ThroughputOps = i+1, v*1e6
			}))
		}
		return s
	}
	c := must.Get(Compare(side(2, 4, 1, 4), side(1, 2, 1, 1, 2, 1), Options{Metrics: Metrics()[:1]}))(t)
	if r := c.Rows[0]; r.Verdict != Same || math.Abs(r.P-40.0/210) > 1e-12 {
		t.Errorf("found %q with p=%v", r.Verdict, r.P)
	}
}
