package compare

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
)

// folders is a side of several folders of six repeats. Each folder has an offset of 1 %, and each
// repeat 1 % of its own.
func folders(rng *rand.Rand, n int, ops float64) Side {
	side := Side{Folders: n}
	for folder := range n {
		offset := 0.01 * rng.NormFloat64()
		for repeat := range results.DefaultRepeats {
			side.Points = append(side.Points, resultstest.Point(func(p *results.Point) {
				p.Source, p.Repeat = folder+1, repeat+1
				p.ThroughputOps = ops * math.Exp(offset+0.01*rng.NormFloat64())
			}))
		}
	}
	return side
}

func throughputs(s Side) (list []float64) {
	for i := range s.Points {
		list = append(list, s.Points[i].ThroughputOps)
	}
	return list
}

// TestFoldersDifferAtTheStatedRate: where runs have an offset, equal sides of four or six folders
// differ in at most 5 %, and sides with the same repeats pooled in 15 % or more. Folders see a change
// that is three times the offset.
func TestFoldersDifferAtTheStatedRate(t *testing.T) {
	trials, alpha := 600, 0.05
	if testing.Short() {
		trials = 100
		t.Log("a short run: fewer trials")
	}
	options := Options{Alpha: alpha, Metrics: Metrics()[:1]}
	for _, n := range []int{4, 6} {
		rng, differ, pooled, found := rand.New(rand.NewPCG(21, uint64(n))), 0, 0, 0
		for range trials {
			a, b, c := folders(rng, n, 1e6), folders(rng, n, 1e6), folders(rng, n, 1.03e6)
			verdict := func(a, b Side) Verdict { return must.Get(Compare(a, b, options))(t).Rows[0].Verdict }
			if verdict(a, b) != Same {
				differ++
			}
			if verdict(a, c) == Better {
				found++
			}
			if UTest(throughputs(a), throughputs(b)) <= alpha {
				pooled++
			}
		}
		t.Logf("%d folders a side: of %d equal sides, %d differ, and %d with their repeats pooled; of so many "+
			"changes by 3 %%, %d are found", n, trials, differ, pooled, found)
		if limit := alpha*float64(trials) + 2*math.Sqrt(float64(trials)*alpha*(1-alpha)); float64(differ) > limit {
			t.Errorf("%d of %d differ, want at most %.0f", differ, trials, limit)
		}
		if pooled < trials*15/100 || found < trials*60/100 {
			t.Error("the test sees nothing")
		}
	}
}

// TestFoldersAreOneValueEach: three folders a side are too few, whatever the repeats, and the median
// of a folder is what counts. A folder without the figure in one of its repeats has none.
func TestFoldersAreOneValueEach(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	options := Options{Metrics: Metrics()[:1]}
	a, b := folders(rng, 3, 1e6), folders(rng, 4, 2e6)
	r := must.Get(Compare(a, b, options))(t).Rows[0]
	if r.Verdict != TooFew || r.Needed != 4 || r.A.N != 3 || r.B.N != 4 {
		t.Errorf("three folders and four: %+v", r)
	}
	a = folders(rng, 4, 1e6)
	for i := range a.Points {
		a.Points[i].ThroughputOps = 1e6
	}
	a.Points[0].ThroughputOps = 9e6 // one of six moves no median
	r = must.Get(Compare(a, b, options))(t).Rows[0]
	if r.Verdict != Better || r.A.Median != 1e6 {
		t.Errorf("four folders a side: %+v", r)
	}
	a.Points[0].ThroughputOps = 0
	if r := must.Get(Compare(a, b, options))(t).Rows[0]; r.Verdict != NotMeasured {
		t.Errorf("a folder without the figure: %q", r.Verdict)
	}
}
