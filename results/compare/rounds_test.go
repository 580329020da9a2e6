package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
)

// twoBuilds is a run of two builds. Rounds move all points by 3 %, and each point has 0.3 % of its
// own. The new build has the throughput of the base times a factor.
func twoBuilds(rng *rand.Rand, rounds int, threads []int, factor float64) Side {
	side := Side{Name: "run"}
	for round := range rounds {
		state := math.Exp(0.03 * rng.NormFloat64())
		for _, n := range threads {
			for i, build := range []string{"v1@aa", "v2@bb"} {
				times := []float64{1, factor}[i]
				side.Points = append(side.Points, resultstest.Point(func(p *results.Point) {
					p.ID = fmt.Sprintf("%s-%d-r%d", build[:2], n, round+1)
					p.Build, p.Builds, p.Repeat, p.ClientThreads = build, []string{build}, round+1, n
					p.ThroughputOps = 1e6 * float64(n) * times * state * math.Exp(0.003*rng.NormFloat64())
				}))
			}
		}
	}
	return side
}

func compareBuilds(t *testing.T, run Side, o Options) *Comparison {
	t.Helper()
	return must.Get(Builds(run, "v1@aa", "v2@bb", o))(t)
}

// TestBuildsArePaired: a state that rounds share hides no change of 2 %, whose size is right. The
// same points without their rounds show nothing.
func TestBuildsArePaired(t *testing.T) {
	throughput := Options{Metrics: Metrics()[:1]}
	run := twoBuilds(rand.New(rand.NewPCG(1, 2)), 12, []int{1}, 1.02)
	c := compareBuilds(t, run, throughput)
	row := c.Rows[0]
	if c.Unit != OfRounds || len(c.Rows) != 1 || row.Verdict != Better || math.Abs(row.Change-0.02) > 0.005 ||
		row.Lo == nil || *row.Lo > 0.02 || *row.Hi < 0.02 || row.A.N != 12 {
		t.Errorf("found %+v", row)
	}
	of := func(build string) (s Side) {
		for _, p := range run.Points {
			if p.Build == build {
				s.Points = append(s.Points, p)
			}
		}
		return s
	}
	apart := throughput
	apart.Ignore = []string{"build"}
	if c := must.Get(Compare(of("v1@aa"), of("v2@bb"), apart))(t); c.Rows[0].Verdict != Same {
		t.Errorf("without rounds: found %+v", c.Rows[0])
	}
	text := string(write(t, c))
	must.Contain(t, text,
		"A: build v1@aa of run (12 points)\nB: build v2@bb of run (12 points)\n",
		"Each round is a pair: A and B ran one right after the other.\n",
		"p: Wilcoxon's signed rank test of the pairs, corrected after Holm over 1 figure.\n",
	)
	if strings.Contains(text, apart2runs) {
		t.Errorf("an offset between runs is said to count:\n%s", text)
	}
}

// apart2runs is a part of what comparisons of two runs say.
const apart2runs = "two runs, no common rounds"

// TestAllSettingsTogether: six rounds are too few for each of four settings alone, and enough for
// all together.
func TestAllSettingsTogether(t *testing.T) {
	threads := []int{1, 2, 4, 8}
	run := twoBuilds(rand.New(rand.NewPCG(3, 4)), 6, threads, 1.02)
	c := compareBuilds(t, run, Options{Metrics: Metrics()[:1]})
	if len(c.Rows) != 5 {
		t.Fatalf("found %d rows", len(c.Rows))
	}
	for _, row := range c.Rows[:4] {
		if row.Verdict != TooFew || row.Needed != 8 {
			t.Errorf("found %+v", row)
		}
	}
	all := c.Rows[4]
	if all.Label != "all 4 together (geometric mean)" || all.Verdict != Better || math.Abs(all.Change-0.02) > 0.005 ||
		math.Abs(all.A.Median/2.83e6-1) > 0.1 || c.Err() != nil {
		t.Errorf("found %+v, %v", all, c.Err())
	}
	each, together, figures := RoundsOf(4)
	if each != 10 || together != 3 || figures != 20 {
		t.Errorf("found %d and %d rounds for %d figures", each, together, figures)
	}
}

// TestRoundsOfBoth: a round that one build lacks is no pair.
func TestRoundsOfBoth(t *testing.T) {
	run := twoBuilds(rand.New(rand.NewPCG(5, 6)), 8, []int{1}, 1)
	run.Points = slices.DeleteFunc(run.Points, func(p results.Point) bool { return p.ID == "v2-1-r3" })
	for i := range run.Points {
		if p := &run.Points[i]; p.ID == "v1-1-r5" {
			resultstest.Failed("no answer")(p)
		}
	}
	c := compareBuilds(t, run, Options{Metrics: Metrics()[:1]})
	if row := c.Rows[0]; row.A.N != 6 || row.B.N != 6 {
		t.Errorf("found %d and %d values, want 6 pairs", row.A.N, row.B.N)
	}
	for i := range run.Points {
		if p := &run.Points[i]; p.Build == "v2@bb" {
			resultstest.Failed("no answer")(p)
		}
	}
	c = compareBuilds(t, run, Options{})
	if len(c.Rows) != 0 || len(c.FailedB) != 1 || c.Err() == nil {
		t.Errorf("found %+v, %v", c, c.Err())
	}
}

// TestEqualBuildsDiffer: of runs of two equal builds, at most the level shows any difference.
func TestEqualBuildsDiffer(t *testing.T) {
	trials := 400
	if testing.Short() {
		trials = 100
		t.Log("a short run: fewer trials")
	}
	rng, differ := rand.New(rand.NewPCG(7, 8)), 0
	for range trials {
		c := compareBuilds(t, twoBuilds(rng, 7, []int{1, 2, 4}, 1), Options{Metrics: Metrics()[:1], Alpha: 0.05})
		if c.Count(Better)+c.Count(Worse) > 0 {
			differ++
		}
	}
	t.Logf("%d of %d equal runs differ", differ, trials)
	if limit := 0.05*float64(trials) + 2*math.Sqrt(float64(trials)*0.05*0.95); float64(differ) > limit {
		t.Errorf("%d of %d differ, want at most %.0f", differ, trials, limit)
	}
}
