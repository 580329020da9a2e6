package answer

import (
	"math"
	"slices"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
)

// offered are the points of one placement at these rates, with a p99 latency in µs that grows with
// the rate. Repeats differ by about two per cent.
func offered(placement string, us float64, repeats int, rates []float64, edits ...func(*results.Point),
) (points []results.Point) {
	for _, rate := range rates {
		for repeat := 1; repeat <= repeats; repeat++ {
			points = append(points, resultstest.Point(append([]func(*results.Point){func(p *results.Point) {
				jitter := 1 + 0.02*math.Sin(float64(3*repeat)+us)
				p.Placement, p.RateOps, p.ThroughputOps, p.Repeat = placement, rate, rate, repeat
				p.Latency = resultstest.Latency(us * 1e3 / 2 * (1 + rate/1e6) * jitter)
			}}, edits...)...))
		}
	}
	return points
}

var rates = []float64{1e5, 5e5}

// at is the answer at 500 kops.
func at(t *testing.T, points ...[]results.Point) Answer {
	t.Helper()
	a, ok := Of(slices.Concat(points...), Options{Metric: p99(t), RateOps: 5e5})
	if !ok {
		t.Fatal("no answer")
	}
	return a
}

// TestAtRate: the lowest latency at a rate is the best, by how much, and how sure that is.
func TestAtRate(t *testing.T) {
	fast, slow := offered("CH-SH", 100, 6, rates), offered("CH-SD", 160, 6, rates)
	missing := offered("CD-SD", 90, 6, []float64{1e5})
	missed := offered("CD-SH", 90, 6, rates, func(p *results.Point) {
		p.ThroughputOps, p.Warnings = 0.3e6, results.ReadWarnings("target rate missed: 3 of 5 were answered")
	})
	unsent := offered("CD-SH", 90, 6, rates, func(p *results.Point) { p.LatencyLowerBoundFrom = 99 })
	for _, row := range []struct {
		name    string
		answer  Answer
		verdict Verdict
		says    string
	}{
		{
			"a sure win", at(t, fast, slow), Sure,
			"CH-SH is the best placement: 150 µs of p99 latency at 500 kops offered; CH-SD has 1.60 times that " +
				"(95 % interval: 1.55 to 1.66; 6 rounds). p = 0.031.",
		},
		{
			"far apart", at(t, fast, offered("CH-SD", 400, 3, rates)), Far,
			"CH-SD has 4.00 times that (over all repeats: ",
		},
		{
			"a tie", at(t, fast, offered("CH-SD", 100.4, 6, rates)), Tie,
			"CH-SH and CH-SD are not told apart: CH-SH has 150 µs of p99 latency at 500 kops offered; CH-SD has 1.00 " +
				"times that",
		},
		{
			"few repeats", at(t, offered("CH-SH", 100, 2, rates), offered("CH-SD", 160, 2, rates)), TooFew,
			"CH-SH has 150 µs of p99 latency at 500 kops offered; CH-SD has 1.6",
		},
		{
			"alone", at(t, fast), Alone,
			"CH-SH has 150 µs of p99 latency at 500 kops offered (95 % interval: ",
		},
		{
			"the others have no such rate, or missed it", at(t, fast, missing, missed), Only,
			"CH-SH is the only placement that is ranked at the rate: 150 µs of p99 latency at 500 kops offered (",
		},
		{"a missed rate", at(t, fast, missed), Only, " CD-SH missed the rate: it answered 300 kops."},
		{"no such rate", at(t, fast, missing), Only, " CD-SD has no point at the rate."},
		{
			"a lower bound", at(t, fast, unsent), Only,
			" CD-SH is not ranked: its p99 latency is not known, or only a lower bound.",
		},
		{
			"nothing is ranked", at(t, missed, missing), None,
			"No placement is ranked at 500 kops offered. CD-SH missed the rate: it answered 300 kops. CD-SD has no ",
		},
		{
			"no high end", at(t, edit(offered("CH-SH", 100, 6, rates), func(p *results.Point) {
				p.LatencyInterval = results.LatencyInterval{Sections: 5, P99LoNs: 1}
			})), Alone,
			" The latency of MICA, CH-SH may be longer: in 6 of 6 repeats, the interval of its p99 latency has",
		},
	} {
		if !strings.Contains(row.answer.Text, row.says) || row.answer.Verdict != row.verdict {
			t.Errorf("%s: found %s, %q, want %s, %q", row.name, row.answer.Verdict, row.answer.Text, row.verdict,
				row.says)
		}
	}
}

// TestAtRateConditions: client threads are a condition at a rate, although they raise a load.
func TestAtRateConditions(t *testing.T) {
	one := []float64{5e5}
	two := func(p *results.Point) { p.ClientThreads = 2 }
	a := at(t, offered("CH-SH", 100, 6, one), offered("CH-SD", 160, 6, one),
		offered("CH-SH", 80, 6, one, two), offered("CH-SD", 160, 6, one, two))
	const want = "CH-SH is the best placement in both cases: the next has 1.60 to 2.00 times the latency."
	if len(a.Cases) != 2 || a.Text != want {
		t.Errorf("found %d cases, %q, want 2 and %q", len(a.Cases), a.Text, want)
	}
}

// TestAtRateBaseline: direct has the lowest latency, and is no rival.
func TestAtRateBaseline(t *testing.T) {
	through := func(submode string, us float64) []results.Point {
		return offered("CH-SH", us, 6, rates, func(p *results.Point) { p.Submode = submode })
	}
	text := at(t, through("direct", 50), through("sm1", 100), through("sm2", 160)).Text
	must.Contain(t, text,
		"SM1 is the best submode: ", "; SM2 has 1.60 times that (",
		" Its latency is 2.0", " times that of direct, the baseline (95 % interval: ",
	)
}

func TestAtRateRehearsal(t *testing.T) {
	emulated := func(p *results.Point) { p.Emulated, p.EmulatedTestbed = true, "network namespaces" }
	a := at(t, offered("CH-SH", 100, 6, rates, emulated), offered("CH-SD", 160, 6, rates, emulated))
	if !a.Rehearsal || !strings.HasPrefix(a.Text, "Rehearsal on emulated machines") ||
		!strings.Contains(a.Text, "CH-SH leads: 150 µs") || strings.Contains(a.Text, "best") {
		t.Errorf("found %+v", a)
	}
}

func TestCheckRate(t *testing.T) {
	closed := placed("CH-SH", 4e6, 1)
	points := slices.Concat(closed, offered("CH-SH", 100, 2, rates), offered("CH-SD", 100, 2, []float64{7e5}))
	for rate, want := range map[float64]string{
		5e5: "", 7e5: "",
		6e5: "found no point at 600000 operations per second, allowed: a rate that was measured: " +
			"CH-SH 100000, 500000; CH-SD 700000; to do: measure it, such as with dpukv sweep --set rate=600000",
	} {
		found := ""
		if err := CheckRate(points, rate); err != nil {
			found = err.Error()
		}
		if found != want {
			t.Errorf("%v: found %q, want %q", rate, found, want)
		}
	}
	const want = "found no offered rate in 5 measured points, allowed: points of an open loop; to do: measure it"
	if err := CheckRate(closed, 5e5); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("found %v, want %q", err, want)
	}
}
