package compare

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/perf/benchmath"

	"dpukv/internal/sample"
	"dpukv/internal/test/must"
	"dpukv/results/resultstest"
)

// made are n values: around 1, or a few that come often.
func made(rng *rand.Rand, n int) []float64 {
	ties := rng.IntN(2) == 0
	list := make([]float64, n)
	for i := range list {
		if list[i] = math.Exp(rng.NormFloat64()); ties {
			list[i] = float64(1 + rng.IntN(4))
		}
	}
	return list
}

// TestPairsAreCountedAsIfMade: the ratios and the means are, to the last bit, those of the sorted
// list of all pairs.
func TestPairsAreCountedAsIfMade(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	check := func(what string, pairs grid, all []float64) {
		t.Helper()
		k := rng.IntN(len(all)/2 + 1)
		if got, want := pairs.interval(k), sample.Within(slices.Sorted(slices.Values(all)), k); got != want {
			t.Errorf("seed %d: %d %s, the %dth from the ends: found %v, want %v", seed, len(all),
				what, k, got, want)
		}
	}
	sizes := []int{1, 2, 3, 5, 6, 12, 40, 300}
	for range 200 {
		a, b := made(rng, sizes[rng.IntN(len(sizes))]), made(rng, sizes[rng.IntN(len(sizes))])
		var over, logs, half []float64
		for i, x := range a {
			for _, y := range b {
				over = append(over, x/y)
			}
			logs = append(logs, math.Log(x)) // of both signs
			for _, y := range a[:i+1] {
				half = append(half, (math.Log(x)+math.Log(y))/2)
			}
		}
		check("ratios", ratios(a, b), over)
		check("means", means(logs), half)
	}
}

// TestApproximationsAreNearTheExact: where the normal distribution takes over, its p and its ends of
// intervals are those of the exact distribution, or on the safe side of them far from the middle.
func TestApproximationsAreNearTheExact(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 2))
	near := func(what string, got, exact float64) {
		t.Helper()
		if math.Abs(got-exact) > 0.004+0.02*exact || got < exact/1.1 && exact < 1e-3 {
			t.Errorf("seed %d: %s: p is %v, exactly %v", seed, what, got, exact)
		}
	}
	for _, n := range []int{exactPairs, exactPairs + 50} {
		ranks := doubledRanks(made(rng, n))
		share, sum := sharesOfSum(ranks), 0
		for _, r := range ranks {
			sum += r
		}
		below := 0.0
		for above := range sum / 2 {
			below += share[above]
			if share[above] > 0 {
				near("signed ranks", approximateSignedRank(ranks, above), min(1, 2*below))
			}
		}
	}
	for _, n := range []int{51, 100, 1000} { // from there on, benchstat approximates, too
		a, b := made(rng, n), made(rng, 2*n)
		want := benchmath.AssumeNothing.Compare(
			benchmath.NewSample(slices.Clone(a), &benchmath.DefaultThresholds),
			benchmath.NewSample(slices.Clone(b), &benchmath.DefaultThresholds)).P
		if got := UTest(a, b); math.Abs(got-want) > 1e-9 {
			t.Errorf("seed %d: %d and %d values: p is %v, want %v", seed, n, 2*n, got, want)
		}
	}
	for n := exactPairs + 1; n < exactPairs+50; n += 7 {
		ranks := make([]int, n)
		for i := range ranks {
			ranks[i] = i + 1
		}
		want, below := 0, 0.0
		for _, s := range sharesOfSum(ranks) {
			if below += s; below > tail {
				break
			}
			want++
		}
		if got := outsidePairs(n); got < want-2 || got > want+1 {
			t.Errorf("%d pairs: found the %dth mean, exactly the %dth", n, got, want)
		}
	}
}

// TestManyRepeats: the statistics of very many values are those that mathematics says, and they take
// no pairs: a rank takes at most 64 counts.
func TestManyRepeats(t *testing.T) {
	const n, truth = 20_000, 1.02
	rng := rand.New(rand.NewPCG(13, 14))
	var p Pairs
	for range n {
		state := math.Exp(0.01 * rng.NormFloat64())
		p.A = append(p.A, truth*state*math.Exp(0.05*rng.NormFloat64()))
		p.B = append(p.B, state*math.Exp(0.05*rng.NormFloat64()))
	}
	// The standard deviation of a Hodges–Lehmann estimate of normal values, and of a median.
	own, both := 0.05*math.Sqrt2, math.Hypot(0.05, 0.01)
	shift := math.Sqrt(math.Pi / 3 / n)
	for name, row := range map[string]struct {
		found            sample.Interval
		truth, deviation float64
	}{
		"ratio":  {Ratio(p.A, p.B), truth, shift * both * math.Sqrt2},
		"pairs":  {p.Ratio(), truth, shift * own},
		"median": {sample.Center(p.B), 1, math.Sqrt(math.Pi/2/n) * both},
	} {
		r, want := row.found, 2*1.959964*row.deviation*row.truth
		if math.Abs(r.Estimate-row.truth) > 5*row.deviation || r.Range ||
			math.Abs((r.High-r.Low)/want-1) > 0.1 {
			t.Errorf("%s: found %v, want %v with an interval of width %v", name, r, row.truth, want)
		}
	}
	same := Pairs{A: p.A[:n/2], B: p.A[n/2:]}
	for name, found := range map[string][2]float64{
		"U":            {UTest(p.A, p.B), UTest(same.A, same.B)},
		"signed ranks": {SignedRank(p), SignedRank(same)},
	} {
		if found[0] <= 0 || found[0] > 1e-100 || found[1] < 1e-4 {
			t.Errorf("%s: found p=%v of a difference, and %v of none", name, found[0], found[1])
		}
	}
	pairs, counts := ratios(p.A, p.B), 0
	count := pairs.atMost
	pairs.atMost = func(limit float64) int { counts++; return count(limit) }
	if pairs.interval(outside(n, n)); counts > 4*64 {
		t.Errorf("found %d counts of the pairs, want at most 64 for each of four ranks", counts)
	}
}

// TestManyRepeatsCompared: a comparison of more repeats than 2^-n has floats ends, of two runs and of
// two builds. Failed points are found among those of many settings.
func TestManyRepeatsCompared(t *testing.T) {
	run := twoBuilds(rand.New(rand.NewPCG(17, 18)), 1080, []int{1}, 1.02)
	throughput := Options{Metrics: Metrics()[:1]}
	if row := compareBuilds(t, run, throughput).Rows[0]; row.Verdict != Better || row.A.N != 1080 ||
		math.Abs(row.Change-0.02) > 0.001 {
		t.Errorf("builds: found %+v", row)
	}
	if row := must.Get(Compare(run, run, throughput))(t).Rows[0]; row.Verdict != Same || row.P != 1 || row.Change != 0 {
		t.Errorf("a run with itself: found %+v", row)
	}
	var threads []int
	for n := range 500 {
		threads = append(threads, n+1)
	}
	a, b := twoBuilds(rand.New(rand.NewPCG(19, 20)), 1, threads, 1), Side{Name: "other"}
	for i, p := range a.Points {
		if i%2 == 0 { // a point that failed early knows no transport
			resultstest.Failed("no answer")(&p)
			p.Transport = ""
		}
		b.Points = append(b.Points, p)
	}
	if c := must.Get(Compare(a, b, throughput))(t); len(c.FailedB) != 500 || len(c.Rows) != 500 {
		t.Errorf("found %d failed settings and %d rows, want 500 of each", len(c.FailedB), len(c.Rows))
	}
}

// TestManyCases: five rounds in each of 5,000 settings are tested together.
func TestManyCases(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	cases := make([]Pairs, 5000)
	for i := range cases {
		cases[i] = stateful(rng, 5, 1)
	}
	if p := SignedRank(cases...); p < 1e-4 {
		t.Errorf("found p=%v, and nothing differs", p)
	}
	if values := slices.Repeat([]float64{7}, 2000); UTest(values, values[:1080]) != 1 {
		t.Error("equal values differ")
	}
	if got := RepeatsFor(1e-300); SmallestP(got, got) > 1e-300 || SmallestP(1e5, 1e5) != 0 {
		t.Errorf("found %d repeats", got)
	}
}
