package headline

import (
	"slices"
	"strings"
	"testing"

	"dpukv/results"
	"dpukv/results/resultstest"
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
	bound, err := results.ParseBound("p99=300us")
	if err != nil {
		t.Fatal(err)
	}
	tight, err := results.ParseBound("p99=1us")
	if err != nil {
		t.Fatal(err)
	}
	fast, slow := placed("CH-SH", 4e6, 6), placed("CH-SD", 2.5e6, 6)
	emulated := func(p *results.Point) { p.Emulated, p.Provider = true, "softroce" }
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
				"60 % more than CH-SD (95 % interval: ", "p = 0.0022; 6 repeats each)",
			},
		},
		{
			"a win within a bound", slices.Concat(fast, slow), &bound, Sure,
			[]string{"CH-SH is the best placement: ", "within p99 latency ≤ 300µs"},
		},
		{
			"a bound that nothing keeps", slices.Concat(fast, slow), &tight, None,
			[]string{"No load keeps p99 latency ≤ 1µs."},
		},
		{
			"a tie", slices.Concat(fast, placed("CD-SH", 4.01e6, 6)), nil, Tie,
			[]string{"No difference shown between ", "CH-SH", "CD-SH", "6 repeats each"},
		},
		{
			"a tie of the first two of three", slices.Concat(fast, placed("CD-SH", 4.01e6, 6), slow), nil, Tie,
			[]string{"No difference shown between "},
		},
		{
			"one repeat", slices.Concat(placed("CH-SH", 4e6, 1), placed("CH-SD", 2.5e6, 1)), nil, TooFew,
			[]string{"No difference shown: CH-SH has the highest throughput", "found 1, needed: 4"},
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
			"emulated and real stores", slices.Concat(fast, edit(placed("CH-SH", 9e6, 6), func(p *results.Point) {
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

func p99(t *testing.T) results.LatencyMetric {
	t.Helper()
	m, err := results.ParseLatencyMetrics("p99")
	if err != nil {
		t.Fatal(err)
	}
	return m[0]
}

// few leaves out the loads above two threads. Such a line has no knee.
func few(points []results.Point) []results.Point {
	return slices.DeleteFunc(slices.Clone(points), func(p results.Point) bool { return p.ClientThreads > 2 })
}

// TestOfSeveralCases counts the answers under several conditions.
func TestOfSeveralCases(t *testing.T) {
	half := func(p *results.Point) { p.GetRatio = 0.5 }
	points := slices.Concat(placed("CH-SH", 4e6, 6), placed("CH-SD", 2.5e6, 6),
		placed("CH-SH", 3e6, 6, half), placed("CH-SD", 3.01e6, 6, half))
	h, _ := Of(points, Options{Metric: p99(t)})
	if want := "CH-SH is the best placement in 1 of 2 cases; no difference is shown in 1 of 2."; h.Text != want ||
		h.Verdict != Mixed {
		t.Errorf("found %s, %q, want %q", h.Verdict, h.Text, want)
	}
	if len(h.Cases) != 2 || h.Cases[0].Condition != "50 % GET" || h.Cases[0].Verdict != Tie {
		t.Errorf("found %+v", h.Cases)
	}
}

// TestOfDoubts names what limits the answer: failed points, emulated parts, and warnings.
func TestOfDoubts(t *testing.T) {
	slow := placed("CH-SD", 2.5e6, 6, func(p *results.Point) {
		p.Emulated, p.Provider = true, "softroce"
		p.Warnings = []string{"client-bound: the client's threads used 99 % of their CPUs' time"}
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

func TestOfNoPoints(t *testing.T) {
	failed := placed("CH-SH", 4e6, 1, resultstest.Failed("no answer"))
	if h, ok := Of(failed, Options{}); ok {
		t.Errorf("found %+v, want no headline", h)
	}
}
