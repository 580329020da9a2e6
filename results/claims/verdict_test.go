package claims

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpukv/results"
)

// generation is a run with DPUs of one generation.
func generation(name string, points ...[]results.Point) Run {
	return Run{Name: name, Points: slices.Concat(points...), Generations: []string{name}}
}

// said is the outcome of a claim, for its case of this name.
func said(t *testing.T, says, about string, runs ...Run) Outcome {
	t.Helper()
	for _, o := range book(t).Evaluate(Evidence{Runs: runs}) {
		if strings.Contains(o.Says, says) && o.About() == about {
			return o
		}
	}
	t.Fatalf("no claim says %q of %s", says, about)
	return Outcome{}
}

func expect(t *testing.T, o Outcome, want Verdict, why string) {
	t.Helper()
	if o.Verdict != want || !strings.Contains(o.Why, why) {
		t.Errorf("%s: found %s (%s; %s), want %s (%s)", o.Says, o.Verdict, o.Which, o.Why, want, why)
	}
}

// micaPeaks is MICA with both on hosts and with the client on a DPU, which is slower by a factor.
func micaPeaks(factor float64) (points []results.Point) {
	for _, share := range studyShares {
		for placement, ops := range map[string]float64{"CH-SH": 3e6, "CD-SH": 3e6 / factor, "CD-SD": 3e6 / factor} {
			points = append(points, placed("mica", placement, ops, 1e5, all(share))...)
		}
	}
	return points
}

func otherKeys(p *results.Point) { p.Keys *= 2 }

// TestUpToIsOfThePool: the greatest figure of BF-1 and BF-2 is held against "up to 3×". The study's
// own 1.47× of a BF-2 does not disagree with it.
func TestUpToIsOfThePool(t *testing.T) {
	for name, c := range map[string]struct {
		runs []Run
		want Verdict
		why  string
	}{
		"as in the study":   {[]Run{generation("bf1", micaPeaks(3)), generation("bf2", micaPeaks(1.47))}, Agrees, ""},
		"BF-2 alone, below": {[]Run{generation("bf2", micaPeaks(1.47))}, Inconclusive, "may be one of the missing"},
		"BF-2 alone, above": {[]Run{generation("bf2", micaPeaks(4))}, Disagrees, "nothing was measured of BF-1"},
		"BF-1 with other settings": {[]Run{
			generation("bf1", placed("mica", "CH-SH", 3e6, 1e5), placed("mica", "CD-SH", 1e6, 1e5, otherKeys)),
			generation("bf2", micaPeaks(1.47)),
		}, Inconclusive, "nothing was measured of"},
		"both below": {[]Run{generation("bf1", micaPeaks(2)), generation("bf2", micaPeaks(1.47))}, Disagrees, ""},
		"one GET share not measured": {[]Run{
			generation("bf1", micaPeaks(2)),
			generation("bf2", placed("mica", "CH-SH", 3e6, 1e5, all(1)), placed("mica", "CD-SH", 2e6, 1e5, all(1)),
				placed("mica", "CD-SD", 2e6, 1e5, all(1)), placed("mica", "CH-SH", 3e6, 1e5, all(0.95)),
				placed("mica", "CD-SH", 2e6, 1e5, all(0.95))),
		}, Inconclusive, "50 % GET on BF-2"},
	} {
		t.Run(name, func(t *testing.T) {
			expect(t, said(t, "MICA's peak with both on hosts over that", "BF-1/BF-2", c.runs...), c.want, c.why)
		})
	}
}

// TestSubmodesAreNotMixed: SM4 on a BF-3 is compared with SM4 on a BF-2, and not with its SM5.
func TestSubmodesAreNotMixed(t *testing.T) {
	in := func(submode string, ns float64) (points []results.Point) {
		for _, share := range studyShares {
			points = append(points, placed("mica", "CH-SH", 1e6, ns, all(share),
				func(p *results.Point) { p.Submode = submode })...)
		}
		return points
	}
	o := said(t, "same submode on a BF-2", "BF-3", generation("bf2", in("sm4", 1e5), in("sm5", 3e5)),
		generation("bf3", in("sm4", 0.9e5), in("sm5", 2.7e5)))
	expect(t, o, Agrees, "")
	if m := *o.Measured; m < 0.09 || m > 0.11 {
		t.Errorf("lower by %v, want 0.1: %s", m, o.Which)
	}
}

// TestToleranceIsOfTheRatio: 12 % lower is a ratio of 0.88, and 10 % of that are 8.8 points.
func TestToleranceIsOfTheRatio(t *testing.T) {
	tenth := 0.1
	for name, c := range map[string]struct {
		quantity  string
		study     float64
		low, high float64
	}{
		"ratio": {"ratio", 2, 1.8, 2.2},
		"lower": {"lower", 0.12, 0.032, 0.208},
		"apart": {"apart", 0.15, 0.035, 0.265},
	} {
		claim := Claim{Quantity: c.quantity, Tolerance: &tenth}
		low, high := claim.band(Case{Study: c.study})
		if low < c.low-1e-6 || low > c.low+1e-6 || high < c.high-1e-6 || high > c.high+1e-6 {
			t.Errorf("%s: found %v to %v, want %v to %v", name, low, high, c.low, c.high)
		}
	}
}

// TestBF1IsComparedWithBF3: with the study's own server threads, which are other ones on a BF-1.
func TestBF1IsComparedWithBF3(t *testing.T) {
	with := func(name string, threads int, ops float64) Run {
		return generation(name, placed("herd", "CH-SH", ops, 1e5, all(1),
			func(p *results.Point) { p.ServerThreads = threads }))
	}
	const says = "HERD's peak with both on hosts, BF-3 over BF-1"
	for name, c := range map[string]struct {
		bf1, bf3 Run
		want     Verdict
		why      string
	}{
		"few":       {with("bf1", 5, 1e7), with("bf3", 4, 1.1e7), Agrees, ""},
		"many":      {with("bf1", 10, 1e7), with("bf3", 8, 1.1e7), Agrees, ""},
		"too far":   {with("bf1", 5, 1e7), with("bf3", 4, 1.3e7), Disagrees, ""},
		"different": {with("bf1", 10, 1e7), with("bf3", 4, 1.1e7), NotMeasured, "different settings"},
	} {
		t.Run(name, func(t *testing.T) {
			expect(t, said(t, says, "BF-3, 100 % GET", c.bf1, c.bf3), c.want, c.why)
		})
	}
	// On one BF-1, 5 and 4 server threads remain two settings.
	one := generation("bf1", with("", 5, 1e7).Points, placed("herd", "CD-SH", 5e6, 1e5, all(1),
		func(p *results.Point) { p.ServerThreads = 4 }))
	expect(t, said(t, "HERD's peak with both on hosts over that with the client", "BF-1/BF-2/BF-3, 100 % GET", one),
		NotMeasured, "different settings")
}

// TestLinear: a step and two points are no line.
func TestLinear(t *testing.T) {
	at := func(ops map[int]float64) Run {
		return generation("bf2", curve("mica", "CD-SH", "off-path", 1, 4, ops, ops))
	}
	for name, c := range map[string]struct {
		ops  map[int]float64
		want Verdict
	}{
		"a line":     {map[int]float64{1: 1e6, 2: 2e6, 4: 4e6, 8: 8e6}, Agrees},
		"a step":     {map[int]float64{1: 1e6, 2: 4e6, 4: 4e6, 8: 8e6}, Disagrees},
		"saturated":  {map[int]float64{1: 1e6, 2: 2e6, 4: 2e6, 8: 2e6}, Disagrees},
		"two points": {map[int]float64{1: 1e6, 8: 8e6}, NotMeasured},
	} {
		t.Run(name, func(t *testing.T) {
			expect(t, said(t, "rises linearly", "BF-2", at(c.ops)), c.want, "")
		})
	}
}

// TestInconclusive: points that are no evidence neither agree nor disagree.
func TestInconclusive(t *testing.T) {
	warned := func(text string) func(*results.Point) {
		return func(p *results.Point) { p.Warnings = results.ReadWarnings(text) }
	}
	apart := func(p *results.Point) { p.ThroughputOps *= 1 + 0.1*(float64(p.Repeat)-2.5) }
	first := func(points []results.Point) []results.Point {
		return slices.DeleteFunc(points, func(p results.Point) bool { return p.Repeat > 1 })
	}
	for name, c := range map[string]struct {
		host, dpu []results.Point
		want      Verdict
		why       string
	}{
		"four repeats": {
			placed("mica", "CH-SH", 1.47e6, 1e5, all(1)), placed("mica", "CD-SH", 1e6, 1e5, all(1)), Agrees, "",
		},
		"one repeat": {
			first(placed("mica", "CH-SH", 1.47e6, 1e5, all(1))), placed("mica", "CD-SH", 1e6, 1e5, all(1)),
			Inconclusive, "repeats of a point: found 1, needed: 4",
		},
		"disturbed": {
			placed("mica", "CH-SH", 1e6, 1e5, all(1), warned("disturbed: other programs used 40 %")),
			placed("mica", "CD-SH", 1e6, 1e5, all(1)), Inconclusive,
			"4 of 8 points are disturbed, such as by this: disturbed: other programs used 40 %",
		},
		"the client's limit": {
			placed("mica", "CH-SH", 1.47e6, 1e5, all(1)),
			placed("mica", "CD-SH", 1e6, 1e5, all(1), warned("client-bound: the client's threads used 99 %")),
			Agrees, "",
		},
		"the tail only": {
			placed("mica", "CH-SH", 1.47e6, 1e5, all(1), warned("too short for p99.9: 5000 batches")),
			placed("mica", "CD-SH", 1e6, 1e5, all(1)), Agrees, "",
		},
		"wide around the study's figure": {
			placed("mica", "CH-SH", 1.47e6, 1e5, all(1), apart), placed("mica", "CD-SH", 1e6, 1e5, all(1), apart),
			Inconclusive, "the interval reaches across the limit",
		},
		"wide, the study's figure at the edge": {
			placed("mica", "CH-SH", 1e6, 1e5, all(1), apart), placed("mica", "CD-SH", 1e6, 1e5, all(1), apart),
			Inconclusive, "the interval reaches across the limit",
		},
		"wide, and far from it": {
			placed("mica", "CH-SH", 1e6, 1e5, all(1), apart), placed("mica", "CD-SH", 2e6, 1e5, all(1), apart),
			Disagrees, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			const says = "MICA's peak with both on hosts over that with the client on the DPU"
			expect(t, said(t, says, "BF-2, 100 % GET", bf2(c.host, c.dpu)), c.want, c.why)
		})
	}
}

// TestShortRunIsNoVerdict: one disturbed repeat of everything agrees and disagrees with nothing.
func TestShortRunIsNoVerdict(t *testing.T) {
	runs := studyRuns()
	for i := range runs {
		again := func(p results.Point) bool { return p.Repeat > 1 }
		runs[i].Points = slices.DeleteFunc(runs[i].Points, again)
		runs[i].Probes = slices.DeleteFunc(runs[i].Probes, again)
		for j := range runs[i].Points {
			p := &runs[i].Points[j]
			p.ThroughputOps, p.Warnings = 1e6, results.ReadWarnings(
				"disturbed: other programs used 97 %", "too short for p95")
		}
	}
	inconclusive := 0
	for _, o := range book(t).Evaluate(Evidence{Runs: runs}) {
		if o.Verdict == Agrees || o.Verdict == Disagrees {
			t.Errorf("%s, %s: %s", o.Finding, o.Says, o.Verdict)
		}
		if o.Verdict == Inconclusive {
			inconclusive++
		}
	}
	if inconclusive == 0 {
		t.Error("nothing is inconclusive")
	}
}

// TestUnlabelledFiguresSaySo: the text does not say what HERD's three figures are of.
func TestUnlabelledFiguresSaySo(t *testing.T) {
	for _, says := range []string{
		"HERD's peak with both on hosts over that", "HERD's latency with the client on a DPU",
	} {
		for _, share := range []string{"100", "95", "50"} {
			o := said(t, says, "BF-1/BF-2/BF-3, "+share+" % GET")
			if !strings.Contains(o.Says, "without a label in the text") {
				t.Errorf("found %q", o.Says)
			}
		}
	}
}

// TestMoreRepeatsDecideMore: with the study's own figure or one well beyond the tolerance, and noise
// of 5 %, more repeats never decide less, and 24 decide nearly always.
func TestMoreRepeatsDecideMore(t *testing.T) {
	tolerance := 0.2
	c, k := Claim{Tolerance: &tolerance, Quantity: "ratio", Expect: "about"}, Case{Study: 1.47}
	random := rand.New(rand.NewPCG(3, 4))
	noisy := func(ops float64, repeats int) *results.Mark {
		var m results.Mark
		for range repeats {
			p := &results.Point{}
			p.ThroughputOps = ops * math.Exp(0.05*random.NormFloat64())
			m.Repeats = append(m.Repeats, p)
		}
		return &m
	}
	trials := 400
	if testing.Short() {
		trials = 100
		t.Log("a short run: fewer trials")
	}
	for _, row := range []struct {
		truth float64
		want  Verdict
	}{{1.47, Agrees}, {2, Disagrees}} {
		truth, want, before := row.truth, row.want, 0
		for _, repeats := range []int{4, 6, 12, 24} {
			right := 0
			for range trials {
				f := over(results.Throughput, noisy(truth, repeats), noisy(1, repeats), "")
				switch v, _ := c.verdict(&f, k, nil); v {
				case want:
					right++
				case Inconclusive:
				default:
					t.Errorf("of %g, %d repeats: %s", truth, repeats, v)
				}
			}
			t.Logf("of %g, %d repeats: %d of %d %s", truth, repeats, right, trials, want)
			if right < before-trials/50 {
				t.Errorf("%d repeats decide in %d, fewer decided in %d", repeats, right, before)
			}
			before = right
		}
		if before < trials*98/100 {
			t.Errorf("of %g: 24 repeats decide %d of %d", truth, before, trials)
		}
	}
}
