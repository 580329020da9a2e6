package compare

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
)

// scaled is a copy of points with throughput and latency changed by factors.
func scaled(points []results.Point, throughput, latency float64) []results.Point {
	var list []results.Point
	for _, p := range points {
		p.ThroughputOps *= throughput
		p.P50Ns, p.P99Ns = int64(float64(p.P50Ns)*latency), int64(float64(p.P99Ns)*latency)
		list = append(list, p)
	}
	return list
}

func write(t *testing.T, c *Comparison) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, c.Write(&b))
	return b.Bytes()
}

func TestVerdicts(t *testing.T) {
	base := resultstest.Curve(2e6, []int{4}, 6)
	for name, c := range map[string]struct {
		b       []results.Point
		options Options
		want    Verdict // of the throughput
		err     string
	}{
		"the same":            {base, Options{}, Same, ""},
		"faster":              {scaled(base, 1.5, 1), Options{}, Better, ""},
		"slower":              {scaled(base, 0.5, 1), Options{}, Worse, "1 of 4 figures got worse"},
		"slower, but by less": {scaled(base, 0.95, 1), Options{MinChange: 0.10}, Same, ""},
		"a stricter level":    {scaled(base, 0.5, 1), Options{Alpha: 0.001}, TooFew, "no verdict"},
		"too few on one side": {scaled(base[:2], 0.5, 1), Options{}, TooFew, "no verdict"},
	} {
		t.Run(name, func(t *testing.T) {
			got := must.Get(Compare(Side{Points: base}, Side{Points: c.b}, c.options))(t)
			if got.Rows[0].Verdict != c.want {
				t.Errorf("found %q, want %q: %+v", got.Rows[0].Verdict, c.want, got.Rows[0])
			}
			must.Fail(t, got.Err(), c.err)
		})
	}
}

// TestNotMeasured: a figure without a value on one side is neither better nor worse.
func TestNotMeasured(t *testing.T) {
	base := resultstest.Curve(2e6, []int{4}, 6)
	silent := slices.Clone(base)
	for i := range silent {
		silent[i].ServerCPUNsPerOp = 0
	}
	metrics := must.Get(ParseMetrics("server_cpu,throughput"))(t)
	for _, sides := range [][2][]results.Point{{base, silent}, {silent, base}} {
		c := must.Get(Compare(Side{Points: sides[0]}, Side{Points: sides[1]}, Options{Metrics: metrics}))(t)
		if c.Rows[0].Verdict != NotMeasured || c.Rows[1].Verdict != Same || c.Tested != 1 || c.Err() != nil {
			t.Errorf("%q and %q, %d tested, %v", c.Rows[0].Verdict, c.Rows[1].Verdict, c.Tested, c.Err())
		}
		if text := string(write(t, c)); !strings.Contains(text, "zero or not measured on one side") ||
			!strings.Contains(text, "to tell, 1 not measured.") {
			t.Error(text)
		}
	}
}

// Two halves of one distribution differ at most at the stated rate.
func TestHalvesOfOneDistributionAreEqualAtTheStatedRate(t *testing.T) {
	trials := 4000
	if testing.Short() {
		trials = 500 // enough to see a test that is plainly wrong
		t.Log("a short run: fewer trials")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, alpha := range []float64{0.05, 0.2} {
		for _, n := range []int{4, 5, 8} {
			differ := 0
			for range trials {
				c := must.Get(Compare(Side{Points: drawn(rng, n)}, Side{Points: drawn(rng, n)},
					Options{Alpha: alpha, Metrics: Metrics()[:1]}))(t)
				if c.Rows[0].Verdict != Same {
					differ++
				}
			}
			// The test is exact and its p is discrete, so the true rate is at most alpha. The limit
			// allows four standard deviations.
			if limit := alpha*float64(trials) + 4*math.Sqrt(float64(trials)*alpha*(1-alpha)); float64(differ) > limit {
				t.Errorf("n=%d, level %v: %d of %d differed, want at most %.0f", n, alpha, differ, trials, limit)
			}
			if differ == 0 {
				t.Errorf("n=%d, level %v: none of %d differed: the test sees nothing", n, alpha, trials)
			}
		}
	}
}

// drawn draws from a distribution with a long tail, like throughput under interference.
func drawn(rng *rand.Rand, n int) []results.Point {
	var points []results.Point
	for i := range n {
		points = append(points, resultstest.Point(func(p *results.Point) {
			p.Repeat, p.ThroughputOps = i+1, 1e6/(1+0.05*rng.ExpFloat64())
		}))
	}
	return points
}

func TestSmallestP(t *testing.T) {
	for _, c := range []struct {
		n, m int
		want float64
	}{{1, 1, 1}, {3, 3, 0.1}, {4, 4, 2.0 / 70}, {6, 2, 2.0 / 28}, {5, 5, 2.0 / 252}} {
		if got := SmallestP(c.n, c.m); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("SmallestP(%d, %d) = %v, want %v", c.n, c.m, got, c.want)
		}
	}
	if got := RepeatsFor(0.05); got != 4 {
		t.Errorf("%d repeats for 0.05, want 4", got)
	}
}

func TestJSON(t *testing.T) {
	base := resultstest.Curve(2e6, []int{1}, 4)
	c := must.Get(Compare(Side{Points: base}, Side{Points: base}, Options{}))(t)
	text := must.Get(json.Marshal(c))(t)
	if strings.Contains(strings.ReplaceAll(string(text), `"lo":null,"hi":null`, ""), "null") {
		t.Errorf("null is no list to a script: %s", text)
	}
}

func TestWidthOfAMedian(t *testing.T) {
	metrics := must.Get(ParseMetrics("throughput"))(t)
	for _, test := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{100, 100, 100, 100, 100, 100}, 0},
		{[]float64{90, 100, 100, 100, 100, 105}, 0.1},
		{[]float64{95, 100, 100, 100, 100, 120}, 0.2},
		{[]float64{100, 100, 100, 100, 100}, math.Inf(1)}, // too few
		{[]float64{0, 0, 0, 0, 0, 0}, math.Inf(1)},
	} {
		var repeats []*results.Point
		for _, v := range test.values {
			repeats = append(repeats, &results.Point{Counted: results.Counted{ThroughputOps: v}})
		}
		e := Median(repeats, metrics[0])
		if got := e.Width(); got != test.want && math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%v: found %v, want %v", test.values, got, test.want)
		}
	}
}
