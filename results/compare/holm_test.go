package compare

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
)

func TestCorrectIsHolms(t *testing.T) {
	p, want := []float64{0.01, 0.04, 0.03, 0.005, 0.9}, []float64{0.04, 0.09, 0.09, 0.025, 0.9}
	var rows []*Row
	for i := range p {
		rows = append(rows, &Row{P: p[i]})
	}
	correct(rows)
	for i, r := range rows {
		if math.Abs(r.Corrected-want[i]) > 1e-12 || r.Questions != len(p) {
			t.Errorf("p=%v of %d: %v, want %v", r.P, r.Questions, r.Corrected, want[i])
		}
	}
}

// questions are n configurations of one distribution, each with the default repeats.
func drawnQuestions(rng *rand.Rand, n int) []results.Point {
	var points []results.Point
	for q := range n {
		for i := range results.DefaultRepeats {
			points = append(points, resultstest.Point(func(p *results.Point) {
				p.ClientThreads, p.Repeat, p.ThroughputOps = q+1, i+1, 1e6/(1+0.05*rng.ExpFloat64())
			}))
		}
	}
	return points
}

// Of twelve questions without a difference, one or more seem to differ at the stated rate. Without
// the correction this is so in about 40 % of the comparisons.
func TestManyQuestionsDifferAtTheStatedRate(t *testing.T) {
	rng, differ, uncorrected := rand.New(rand.NewPCG(13, 14)), 0, 0
	const alpha = 0.05
	trials := 300
	if testing.Short() {
		trials = 100
		t.Log("a short run: fewer trials")
	}
	for range trials {
		c := must.Get(Compare(Side{Points: drawnQuestions(rng, 12)}, Side{Points: drawnQuestions(rng, 12)},
			Options{Alpha: alpha, Metrics: Metrics()[:1]}))(t)
		if c.Count(Better)+c.Count(Worse) > 0 {
			differ++
		}
		for i := range c.Rows {
			if c.Rows[i].P <= alpha {
				uncorrected++
				break
			}
		}
	}
	t.Logf("of %d comparisons, %d differ; %d without the correction", trials, differ, uncorrected)
	if limit := alpha*float64(trials) + 4*math.Sqrt(float64(trials)*alpha*(1-alpha)); float64(differ) > limit {
		t.Errorf("%d of %d comparisons have a difference, want at most %.0f", differ, trials, limit)
	}
	if uncorrected < trials/4 {
		t.Errorf("%d of %d without the correction: the test sees nothing", uncorrected, trials)
	}
}

// Six repeats stand 23 questions, and no more.
func TestQuestionsNeedRepeats(t *testing.T) {
	for _, c := range []struct {
		questions int
		want      Verdict
		needed    int
	}{{1, Better, 0}, {23, Better, 0}, {24, TooFew, 7}} {
		points := drawnQuestions(rand.New(rand.NewPCG(15, 16)), c.questions)
		got := must.Get(Compare(Side{Points: points}, Side{Points: scaled(points, 2, 1)},
			Options{Metrics: Metrics()[:1]}))(t)
		if r := got.Rows[0]; r.Verdict != c.want || r.Needed != c.needed {
			t.Errorf("%d questions: %q, needed %d, want %q and %d", c.questions, r.Verdict, r.Needed, c.want, c.needed)
		}
		var b bytes.Buffer
		must.Do(t, got.Write(&b))
		said := "for 24 figures"
		if c.want == Better {
			said = "corrected after Holm"
		}
		if !strings.Contains(b.String(), said) {
			t.Errorf("%d questions: found no %q in\n%s", c.questions, said, b.String())
		}
	}
}

// equalFigures is a setting whose four default figures are independent of each other.
func equalFigures(rng *rand.Rand) []results.Point {
	var points []results.Point
	noise := func() float64 { return 1 + 0.05*rng.ExpFloat64() }
	for i := range results.DefaultRepeats {
		points = append(points, resultstest.Point(func(p *results.Point) {
			p.Repeat, p.ThroughputOps, p.ServerCPUNsPerOp = i+1, 1e6/noise(), 300*noise()
			p.P50Ns, p.P99Ns = int64(1e9*noise()), int64(2e9*noise())
		}))
	}
	return points
}

// An unchanged run stops a script at the stated rate, over all its figures. With a correction for
// each figure by itself, 15.7 % of the comparisons have a verdict.
func TestAllFiguresTogetherDifferAtTheStatedRate(t *testing.T) {
	rng, differ, worse, each := rand.New(rand.NewPCG(17, 18)), 0, 0, 0
	const trials, alpha = 600, 0.05
	for range trials {
		c := must.Get(Compare(Side{Points: equalFigures(rng)}, Side{Points: equalFigures(rng)},
			Options{Alpha: alpha}))(t)
		if c.Count(Better)+c.Count(Worse) > 0 {
			differ++
		}
		if c.Err() != nil {
			worse++
		}
		if slices.ContainsFunc(c.Rows, func(r Row) bool { return r.P <= alpha }) {
			each++
		}
	}
	t.Logf("of %d comparisons, %d differ and %d stop a script; by each figure alone, %d differ", trials,
		differ, worse, each)
	if limit := alpha*trials + 4*math.Sqrt(trials*alpha*(1-alpha)); float64(differ) > limit {
		t.Errorf("%d of %d comparisons have a difference, want at most %.0f", differ, trials, limit)
	}
	if worse > differ || worse == 0 || each < trials/10 {
		t.Error("the test sees nothing")
	}
}

// Figures of stores and of probes are questions of one comparison, and each is judged in its better
// direction. Rows with too few repeats know how many they need among all.
func TestStoresAndProbesAreJudgedTogether(t *testing.T) {
	a := append(equalFigures(rand.New(rand.NewPCG(19, 20))), memory(80, 10e9)...)
	b := append(scaled(a[:6], 2, 0.5), memory(120, 20e9)...)
	c := must.Get(Compare(Side{Points: a}, Side{Points: b}, Options{}))(t)
	want := []Verdict{Better, Better, Better, Same, Worse, Better, Better}
	for i := range c.Rows {
		if r := &c.Rows[i]; r.Verdict != want[i] || r.Questions != len(want) {
			t.Errorf("%s: %q of %d questions, want %q", r.Metric, r.Verdict, r.Questions, want[i])
		}
	}
	c = must.Get(Compare(Side{Points: a}, Side{Points: b[4:]}, Options{}))(t)
	if r := c.Rows[0]; r.Verdict != TooFew || r.Needed != 6 || r.Questions != 7 {
		t.Errorf("six repeats against two: %q, needed %d for %d questions", r.Verdict, r.Needed, r.Questions)
	}
}
