package run

import (
	"context"
	"slices"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/placement/search"
	"dpukv/results"
)

// searchOptions are the options for a search among fake nodes: one configuration.
func searchOptions(t *testing.T, script, more string) Options {
	t.Helper()
	o, _, _ := fakeOptions(t, script)
	write(t, &o, "get_ratio: 1\nclient_threads: 1\nduration: 10ms\nwarmup: 0s\nrepeats: 2\nkeys: 10\n"+more, "")
	return o
}

func sortedIDs(t *testing.T, dir string) (ids []string) {
	t.Helper()
	for _, p := range readPoints(t, dir) {
		if err := results.Validate(&p); err != nil {
			t.Error(err)
		}
		ids = append(ids, p.ID)
	}
	slices.Sort(ids)
	return ids
}

// TestSearchFindsTheRateOfAnExactServer: the fake server's p99 is 20 µs at 0.8 Mops.
func TestSearchFindsTheRateOfAnExactServer(t *testing.T) {
	o := searchOptions(t, "", "slo: p99=20us\n")
	stdout := new(strings.Builder)
	o.Stdout = stdout
	plan := must.Get(NewPlan(o))(t)
	sum, err := plan.Run(t.Context())
	if err != nil || sum.Measured > plan.Size() || sum.Measured != sum.Points {
		t.Fatalf("found %+v of at most %d, %v", sum, plan.Size(), err)
	}
	a := plan.rates.answers()[0]
	if a.Outcome != search.Found || a.Rate > 0.8e6 || a.Rate < 0.8e6*0.97 || a.Beyond <= 0.8e6 {
		t.Errorf("found %+v, want at most 0.8 Mops, and no more than 3 %% below", a.Answer)
	}
	must.Contain(t, stdout.String(),
		"Highest rate with p99 latency ≤ 20 µs", "MICA, CH-SH", "796.9 kops  787.5 kops to 900 kops",
		"under 1.2 %", "20.6 µs at 806.3 kops",
		"tried below: 100 kops, 250 kops, 500 kops, 750 kops, 787.5 kops. Rates between")
	for _, p := range readPoints(t, o.Dir) {
		if p.RateOps > 0 && (p.RateShare <= 0 || p.RateOps != search.Round(p.RateShare*1e6)) {
			t.Errorf("%s: found the share %v and the rate %v of a peak of 1 Mops", p.ID, p.RateShare, p.RateOps)
		}
	}
}

// TestSearchContinuesWhereItWasInterrupted: the points are those of a search in one go. The rate of
// the peak is so far beyond the capacity that its points fail, and that is a verdict.
func TestSearchContinuesWhereItWasInterrupted(t *testing.T) {
	whole := searchOptions(t, "client@go=backlog", "slo: p99=20us\n")
	if sum, err := runFake(t, whole); err != nil || sum.Failed != nil || sum.Measured != sum.Points {
		t.Fatalf("found %+v, %v", sum, err)
	}
	want := sortedIDs(t, whole.Dir)
	for name, cut := range map[string]int{"halfway": len(want) / 2, "measuring again": len(want) - 2} {
		if testing.Short() && name != "halfway" {
			t.Log("a short run: one interruption")
			continue
		}
		t.Run(name, func(t *testing.T) { continued(t, want, cut) })
	}
}

// continued interrupts a search after so many points, and continues it.
func continued(t *testing.T, want []string, cut int) {
	o := searchOptions(t, "client@go=backlog", "")
	o.SLO = "p99=20us"
	plan := must.Get(NewPlan(o))(t)
	ctx, cancel := context.WithCancel(t.Context())
	lines := 0
	plan.Options.Stderr = writerFunc(func(b []byte) (int, error) {
		if isPointLine(b) {
			lines++
		}
		if lines == cut {
			cancel()
		}
		return len(b), nil
	})
	_, err := plan.Run(ctx)
	if err == nil || !strings.Contains(err.Error(), "of at most 52 points are in "+o.Dir+
		"; continue with: dpukv sweep --resume --out "+o.Dir) {
		t.Fatalf("interrupted: got %v", err)
	}
	o.SweepFile, o.SLO = "", "" // the folder has both
	sum, err := runFake(t, o)
	if err != nil || sum.Before == 0 || sum.Measured == 0 || sum.Before+sum.Measured != len(want) {
		t.Fatalf("continued: got %+v, %v, want %d points", sum, err, len(want))
	}
	if got := sortedIDs(t, o.Dir); !slices.Equal(got, want) {
		t.Errorf("found the points\n%q, want\n%q", got, want)
	}
	if sum, err = runFake(t, o); err != nil || sum.Measured != 0 {
		t.Errorf("after the end: got %+v, %v", sum, err)
	}
	o.SLO = "p99=30us"
	_, err = NewPlan(o)
	must.Fail(t, err, "slo is [p99=20µs] there, [p99=30µs] here")
}

func TestSearchRefuses(t *testing.T) {
	for name, test := range map[string]struct{ script, bound, want string }{
		"a bound that the lowest rate breaks": {
			"", "p99=4us",
			"found 4.44 µs at the lowest rate, 100 kops (10 % of the peak), allowed: p99 latency ≤ 4 µs; loosen",
		},
		"points that fail": {"client@go=failed point", "p99=20us", "2 of 2 points failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := searchOptions(t, test.script, "slo: "+test.bound+"\n")
			_, err := runFake(t, o)
			must.Fail(t, err, test.want)
		})
	}
}

func TestSharesOfThePeak(t *testing.T) {
	o := searchOptions(t, "", "rate: [10%, 40%..80% by 40%]\n")
	plan := must.Get(NewPlan(o))(t)
	var dry strings.Builder
	if err := DryRun(&dry, plan); err != nil || !strings.Contains(dry.String(),
		"the rates are shares of the peaks: 10%, 40%, 80%\n8 points in about") {
		t.Errorf("the dry run says\n%s, %v", dry.String(), err)
	}
	sum, err := runFake(t, o)
	if err != nil || sum.Measured != 8 {
		t.Fatalf("got %+v, %v", sum, err)
	}
	rates := map[float64]int{}
	for _, p := range readPoints(t, o.Dir) {
		if p.RateOps != p.RateShare*1e6 {
			t.Errorf("%s: found the share %v and the rate %v", p.ID, p.RateShare, p.RateOps)
		}
		rates[p.RateOps]++
	}
	if len(rates) != 4 || rates[0] != 2 || rates[1e5] != 2 || rates[4e5] != 2 || rates[8e5] != 2 {
		t.Errorf("found these numbers of points by rate: %v", rates)
	}
	if sum, err = runFake(t, o); err != nil || sum.Before != 8 || sum.Measured != 0 {
		t.Errorf("again: got %+v, %v", sum, err)
	}
}

func TestReachedRates(t *testing.T) {
	point := func(unsent uint64, warnings ...string) *results.Point {
		p := &results.Point{
			Asked:    results.Asked{ClientThreads: 2},
			Counted:  results.Counted{UnsentOps: unsent},
			Warnings: results.ReadWarnings(warnings...),
		}
		p.Batch = 64
		return p
	}
	for _, test := range []struct {
		point *results.Point
		want  bool
	}{
		{point(0), true},
		{point(128), true},
		{point(129), false},
		{point(0, "client: target rate missed: 5 of 9"), false},
		{point(0, "too short for p99"), true},
	} {
		if got := reached(test.point); got != test.want {
			t.Errorf("%d unsent, %q: found %v", test.point.UnsentOps, test.point.Warnings, got)
		}
	}
}
