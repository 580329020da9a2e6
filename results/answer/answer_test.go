package answer

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
	"dpukv/results/runfolder/runfoldertest"
)

// placed are the points of one placement: a curve up to a peak, with this many repeats.
func placed(placement string, peak float64, repeats int, edits ...func(*results.Point),
) []results.Point {
	set := func(p *results.Point) { p.Placement = placement }
	return resultstest.Curve(peak, []int{1, 2, 4, 8, 12}, repeats,
		append([]func(*results.Point){set}, edits...)...)
}

func edit(points []results.Point, change func(*results.Point)) []results.Point {
	for i := range points {
		change(&points[i])
	}
	return points
}

// TestOf has a row for each kind of answer.
func TestOf(t *testing.T) {
	bound := must.Get(results.ParseBound("p99=300us"))(t)
	tight := must.Get(results.ParseBound("p99=1us"))(t)
	fast, slow := placed("CH-SH", 4e6, 6), placed("CH-SD", 2.5e6, 6)
	unchecked := edit(placed("CH-SD", 9e6, 6), func(p *results.Point) {
		p.Warnings = append(p.Warnings, results.Unchecked.Warn("validate: none"))
	})
	emulated := func(p *results.Point) { p.Emulated, p.Provider = true, "softroce" }
	unsteady := edit(placed("L-CD-SH", 3.2e6, 6), func(p *results.Point) {
		if p.Repeat == 2 {
			p.ThroughputOps *= 2
		}
	})
	for _, row := range []struct {
		name    string
		points  []results.Point
		bound   *results.Bound
		verdict Verdict
		says    []string
	}{
		{
			"a sure win", slices.Concat(fast, slow), nil, Sure,
			[]string{
				"CH-SH is the best placement: 2.53 Mops at the knee of the p99 latency, ",
				"1.60 times that of CH-SD (95 % interval: 1.54 to 1.66; 6 rounds). p = 0.031.",
			},
		},
		{
			"beside probes, which serve nothing", slices.Concat(fast, slow, resultstest.StudyProbes()), nil, Sure,
			[]string{"CH-SH is the best placement: 2.53 Mops at the knee of the p99 latency, ", "1.60 times"},
		},
		{
			"a faster store whose values nobody checked", slices.Concat(fast, slow, unchecked), nil, Sure,
			[]string{"CH-SH is the best placement: 2.53 Mops at the knee of the p99 latency, ", "1.60 times"},
		},
		{
			"a win within a bound", slices.Concat(fast, slow), &bound, Far,
			[]string{
				"CH-SH is the best placement: ", "within p99 latency ≤ 300 µs, 3.51 times that of CH-SD",
				"They are far apart: no test is needed.",
			},
		},
		{
			"three repeats, far apart", slices.Concat(placed("CH-SH", 8e6, 3), placed("CH-SD", 2.5e6, 3)), nil, Far,
			[]string{"3.18 times that of CH-SD (over all repeats: ", "; 3 rounds). They are far apart"},
		},
		{
			"a bound that is not shown to be kept", edit(placed("CH-SH", 4e6, 6), func(p *results.Point) {
				p.LatencyInterval = results.LatencyInterval{Sections: 5, P99LoNs: 1}
			}), &bound, Alone,
			[]string{
				"CH-SH is not shown to keep the bound: in 6 of 6 repeats, the interval of its p99 latency has no " +
					"high end. Measure longer.",
			},
		},
		{
			"a bound that nothing keeps", slices.Concat(fast, slow), &tight, None,
			[]string{"No load keeps p99 latency ≤ 1 µs."},
		},
		{
			"a tie", slices.Concat(fast, placed("CD-SH", 4.01e6, 6)), nil, Tie,
			[]string{
				"CD-SH and CH-SH are not told apart: CD-SH has ", "1.00 times that of CH-SH (95 % interval: ",
				"6 rounds). p = ",
			},
		},
		{
			"a tie of the first two of three", slices.Concat(fast, placed("CD-SH", 4.01e6, 6), slow), nil, Tie,
			[]string{"CD-SH and CH-SH are not told apart: "},
		},
		{
			"a tie with the third, which is the one in the sentence",
			slices.Concat(fast, placed("CD-SH", 3.6e6, 6), unsteady), nil, Tie,
			[]string{"CH-SH and L-CD-SH are not told apart: ", "times that of L-CD-SH", "p = "},
		},
		{
			"one repeat", slices.Concat(placed("CH-SH", 4e6, 1), placed("CH-SD", 2.5e6, 1)), nil, TooFew,
			[]string{
				"CH-SH has 3.52 Mops at the knee of the p99 latency, 2.18 times that of CH-SD (1 round). ",
				"These repeats are too few for a test: found 1, needed: 4.",
			},
		},
		{
			"one configuration", fast, nil, Alone,
			[]string{
				"MICA, CH-SH has 2.53 Mops", "at the knee of the p99 latency (95 % interval: ", "6 repeats)",
				"nothing to compare it with",
			},
		},
		{
			"lines without a knee", slices.Concat(few(fast), few(slow)), nil, Sure,
			[]string{"CH-SH is the best placement: ", " Mops at the peak"},
		},
		{
			"two servers with different numbers of threads, one placement",
			slices.Concat(fast, edit(placed("CH-SH", 2.5e6, 6), func(p *results.Point) { p.ServerThreads = 4 })),
			nil, Sure,
			[]string{"2 server threads is the best configuration"},
		},
		{
			"emulated and real stores", slices.Concat(fast, edit(placed("CH-SH", 7e6, 6), func(p *results.Point) {
				p.Store, p.Transport = "herd", "rdma"
				emulated(p)
			})),
			nil, Sure,
			[]string{"HERD (emulated) is the best store"},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			h, ok := Of(row.points, Options{Bound: row.bound, Metric: p99(t)})
			if !ok || h.Verdict != row.verdict {
				t.Errorf("found the verdict %q, want %q: %s", h.Verdict, row.verdict, h.Text)
			}
			for _, part := range row.says {
				if !strings.Contains(h.Text, part) {
					t.Errorf("found %q, want it with %q", h.Text, part)
				}
			}
		})
	}
}

func p99(t *testing.T) *results.Metric {
	t.Helper()
	m := must.Get(results.ParseLatencyMetrics("p99"))(t)
	return m[0]
}

// few leaves out the loads above two threads. Such a line has no knee.
func few(points []results.Point) []results.Point {
	return slices.DeleteFunc(slices.Clone(points), func(p results.Point) bool { return p.ClientThreads > 2 })
}

// TestSeveralCasesAlone: where nothing is to be compared, the answer still says the greatest size.
func TestSeveralCasesAlone(t *testing.T) {
	half := func(p *results.Point) { p.GetRatio = 0.5 }
	h, _ := Of(slices.Concat(placed("CH-SH", 4e6, 6), placed("CH-SH", 3e6, 6, half)), Options{Metric: p99(t)})
	for _, part := range []string{
		"MICA, CH-SH has 2.53 Mops at the knee", "the best of 2 cases (95 % GET). ", "nothing to compare it with",
	} {
		if h.Verdict != Alone || !strings.Contains(h.Text, part) {
			t.Errorf("found %s, %q, want it with %q", h.Verdict, h.Text, part)
		}
	}
}

// TestOfSeveralCases counts the answers under several conditions.
func TestOfSeveralCases(t *testing.T) {
	half := func(p *results.Point) { p.GetRatio = 0.5 }
	points := slices.Concat(placed("CH-SH", 4e6, 6), placed("CH-SD", 2.5e6, 6),
		placed("CH-SH", 3e6, 6, half), placed("CH-SD", 3.01e6, 6, half))
	h, _ := Of(points, Options{Metric: p99(t)})
	if want := "CH-SH is the best placement in 1 of 2 cases; the best are not told apart in 1 of 2."; h.Text != want ||
		h.Verdict != Mixed {
		t.Errorf("found %s, %q, want %q", h.Verdict, h.Text, want)
	}
	if len(h.Cases) != 2 || h.Cases[0].Condition != "50 % GET" || h.Cases[0].Verdict != Tie {
		t.Errorf("found %+v", h.Cases)
	}
}

// TestOfWarnings names what limits the answer: failed points, emulated parts, and warnings.
func TestOfWarnings(t *testing.T) {
	slow := placed("CH-SD", 2.5e6, 6, func(p *results.Point) {
		p.Emulated, p.Provider = true, "softroce"
		p.Warnings = results.ReadWarnings("client-bound: the client's threads used 99 % of their CPUs' time")
	})
	for i := range 3 {
		resultstest.Failed("no answer")(&slow[i])
	}
	h, _ := Of(append(placed("CH-SH", 4e6, 6), slow...), Options{Metric: p99(t)})
	if h.Emulated != "softroce" || h.Failed != "3 points failed and are not compared: 3 of CH-SD." {
		t.Errorf("found %q and %q", h.Emulated, h.Failed)
	}
	if want := "client-bound (6 of 12 points behind this)"; !slices.Equal(h.Cases[0].Warnings, []string{want}) {
		t.Errorf("found the warnings %q, want %q", h.Cases[0].Warnings, want)
	}
	if !strings.Contains(h.Text, "CH-SD (emulated)") {
		t.Errorf("found %q, want the emulated line marked", h.Text)
	}
}

// TestOfWarningsOfNone: that nothing keeps a bound is doubtful, too, if the points behind it are.
func TestOfWarningsOfNone(t *testing.T) {
	tight := must.Get(results.ParseBound("p99=1us"))(t)
	noisy := func(p *results.Point) {
		p.Warnings = results.ReadWarnings("disturbed: other programs used 30 % of the time of the server's CPUs")
	}
	h, _ := Of(placed("CH-SH", 4e6, 6, noisy), Options{Bound: &tight})
	want := "disturbed (6 of 6 points behind this)"
	if h.Verdict != None || !slices.Equal(h.Cases[0].Warnings, []string{want}) {
		t.Errorf("found %s with %q, want %s with %q", h.Verdict, h.Cases[0].Warnings, None, want)
	}
}

// TestWrittenWarnings counts those of all cases together.
func TestWrittenWarnings(t *testing.T) {
	noisy := func(p *results.Point) {
		p.Warnings = results.ReadWarnings("disturbed: other programs used 30 % of the time of the server's CPUs")
	}
	reads := func(p *results.Point) { p.GetRatio = 1 }
	h, _ := Of(append(placed("CH-SH", 4e6, 6, noisy, reads), placed("CH-SH", 4e6, 6, noisy)...), Options{})
	var b strings.Builder
	must.Do(t, h.Write(&b))
	must.Contain(t, b.String(), "\nWarnings: disturbed (12 of 12 points behind this).\n")
}

// TestOfCasesHaveConditions: each of several cases says what tells it from the others, as those along
// the client's threads and along the rate, which a search has.
func TestOfCasesHaveConditions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var points []results.Point
		for range rapid.IntRange(1, 4).Draw(t, "lines") {
			share, open := rapid.SampledFrom([]float64{0.5, 0.95}).Draw(t, "share"), rapid.Bool().Draw(t, "open")
			store := rapid.SampledFrom([]string{"mica", "memcached"}).Draw(t, "store")
			points = append(points, placed("CH-SH", 4e6, 2, func(p *results.Point) {
				p.Store, p.GetRatio = store, share
				if open {
					p.RateOps, p.ClientThreads = 1e5*float64(p.ClientThreads), 1
				}
			})...)
		}
		h, _ := Of(points, Options{Metric: results.LatencyMetrics()[3]})
		seen := map[string]bool{}
		for _, c := range h.Cases {
			if len(h.Cases) > 1 && (c.Condition == "" || seen[c.Condition]) {
				t.Fatalf("found the condition %q of one of %d cases", c.Condition, len(h.Cases))
			}
			seen[c.Condition] = true
		}
	})
}

func TestOfNoPoints(t *testing.T) {
	failed := placed("CH-SH", 4e6, 1, resultstest.Failed("no answer"))
	if h, ok := Of(failed, Options{}); ok {
		t.Errorf("found %+v, want no answer", h)
	}
}

// TestOfAllCases: cases that one line leads have one answer. One test over all rounds is sure where
// each case has too few.
func TestOfAllCases(t *testing.T) {
	cases := func(repeats int, fast, slow float64) (list []results.Point) {
		for i, share := range []float64{1, 0.95, 0.5} {
			of := func(p *results.Point) { p.GetRatio = share }
			less := 1 - float64(i)/10
			list = slices.Concat(list, placed("CH-SH", less*fast, repeats, of),
				placed("CH-SD", slow, repeats, of))
		}
		return list
	}
	for _, row := range []struct {
		points  []results.Point
		verdict Verdict
		says    string
	}{
		{cases(6, 4e6, 2.5e6), Sure, "CH-SH is the best placement in all 3 cases: 1.28 to 1.60 times"},
		{cases(3, 9e6, 2.5e6), Far, "CH-SH is the best placement in all 3 cases: 2.85 to 3.59 times"},
		{
			cases(3, 4e6, 2.5e6), Sure,
			"CH-SH is the best placement over 3 cases together: 1.75 to 2.19 times the throughput of the next. " +
				"One test of all rounds: p = 0.0039.",
		},
		{
			cases(1, 4e6, 2.5e6), TooFew,
			"CH-SH leads in all 3 cases: 1.75 to 2.18 times the throughput of the next. " +
				"The repeats are too few for a test.",
		},
	} {
		h, _ := Of(row.points, Options{Metric: p99(t)})
		if h.Verdict != row.verdict || !strings.Contains(h.Text, row.says) {
			t.Errorf("found %s, %q, want %s, %q", h.Verdict, h.Text, row.verdict, row.says)
		}
	}
}

// TestRoundsOfSeveralRuns: repeats of two runs have no rounds in common, although their numbers are
// the same.
func TestRoundsOfSeveralRuns(t *testing.T) {
	points := slices.Concat(placed("CH-SH", 4e6, 4), placed("CH-SH", 4e6, 4), placed("CH-SD", 2.5e6, 4))
	h, _ := Of(points, Options{Metric: p99(t)})
	if h.Verdict != Sure || !strings.Contains(h.Text, "; 8 and 4 repeats). p = 0.004.") {
		t.Errorf("found %s, %q", h.Verdict, h.Text)
	}
}

// TestLeastP: a p of very many repeats that is less than floats have is said as a bound.
func TestLeastP(t *testing.T) {
	var points []results.Point
	for i := range 2 * 3000 {
		points = append(points, runfoldertest.Repeats(i))
	}
	h, _ := Of(points, Options{})
	must.Contain(t, h.Text, "CH-SH is the best placement", "3 000 rounds", "p < 1e-300")
}
