package run

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/placement/sweep"
	"dpukv/results"
)

// untilOptions are the options for a sweep of fake nodes with three configurations: one without
// noise, one whose throughput differs by up to 4 %, and one whose p99 differs by up to 40 %.
func untilOptions(t *testing.T, until string) Options {
	t.Helper()
	o, _, _ := fakeOptions(t, "noisy")
	write(t, &o, "get_ratio: 1\nclient_threads: [1, 2, 4]\nduration: 10ms\nwarmup: 0s\nrepeats: 3\nkeys: 10\n", "")
	o.Until = until
	return o
}

func repeatsByThreads(points []results.Point) map[int]int {
	n := map[int]int{}
	for i := range points {
		n[points[i].ClientThreads]++
	}
	return n
}

// TestRepeatsUntil: six repeats are the least with an interval. The second configuration reaches
// 5 % with eight, when an outermost repeat no longer counts. The third does not with twelve.
func TestRepeatsUntil(t *testing.T) {
	o := untilOptions(t, "5%")
	stdout, stderr := new(strings.Builder), new(strings.Builder)
	o.Stdout, o.Stderr = stdout, stderr
	sum, err := runFake(t, o)
	points := readPoints(t, o.Dir)
	if err != nil || sum.Measured != len(points) || sum.Points != len(points) {
		t.Fatalf("found %+v and %d points, %v", sum, len(points), err)
	}
	n := repeatsByThreads(points)
	if n[1] != 6 || n[2] != 8 || n[4] != 12 {
		t.Errorf("found %v repeats, want 6, 8 and 12", n)
	}
	must.Contain(t, stdout.String(),
		"95 % intervals of the medians, asked for ±5 %:",
		"1 client thread: throughput ±0.0 %, p99 ±0.0 %: reached in 6 repeats",
		"2 client threads: throughput ±4.1 %, p99 ±0.0 %: reached in 8 repeats",
		"4 client threads: throughput ±0.0 %, p99 ±", "not reached in 12 repeats")
	must.Contain(t, stderr.String(), "[1/at most 36]",
		"1 of 3 configurations did not reach ±5 %: lengthen duration")
	for i := range points {
		if i > 0 && points[i].Repeat < points[i-1].Repeat {
			t.Errorf("point %d: found repeat %d after %d, want one round after another", i, points[i].Repeat,
				points[i-1].Repeat)
		}
	}
	text, err := os.ReadFile(o.Dir + "/sweep.yaml")
	if err != nil || !strings.Contains(string(text), "\nrepeats_until: 5% # by --repeats-until\n") {
		t.Errorf("sweep.yaml has\n%s, %v", text, err)
	}
}

// TestRepeatsUntilContinues: a continued sweep measures the points of one in one go, in its order.
func TestRepeatsUntilContinues(t *testing.T) {
	whole := untilOptions(t, "5%")
	must.Get(runFake(t, whole))(t)
	order := func(dir string) (ids []string) {
		for _, p := range readPoints(t, dir) {
			ids = append(ids, p.ID)
		}
		return ids
	}
	want := order(whole.Dir)
	cuts := []int{19, 4, 23}
	if testing.Short() {
		cuts = cuts[:1]
		t.Log("a short run: one interruption")
	}
	for _, after := range cuts {
		t.Run(fmt.Sprint(after), func(t *testing.T) {
			t.Parallel()
			o := untilOptions(t, "5%")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			lines := 0
			o.Stderr = writerFunc(func(b []byte) (int, error) {
				if isPointLine(b) {
					lines++
				}
				if lines == after {
					cancel()
				}
				return len(b), nil
			})
			plan := must.Get(NewPlan(o))(t)
			if _, err := plan.Run(ctx); err == nil || !strings.Contains(err.Error(),
				fmt.Sprintf("%d of at most 36 points are in %s", after, o.Dir)) {
				t.Fatalf("interrupted: got %v", err)
			}
			o.SweepFile, o.Until = "", "" // the folder has both
			sum, err := runFake(t, o)
			if err != nil || sum.Before != after || sum.Measured != len(want)-after {
				t.Fatalf("continued: got %+v, %v, want %d points", sum, err, len(want))
			}
			if got := order(o.Dir); !slices.Equal(got, want) {
				t.Errorf("found the points\n%q, want\n%q", got, want)
			}
			if sum, err = runFake(t, o); err != nil || sum.Measured != 0 || sum.Before != len(want) {
				t.Errorf("after the end: got %+v, %v", sum, err)
			}
			o.Until = "6%"
			_, err = NewPlan(o)
			must.Fail(t, err, "repeats_until is [5%] there, [6%] here")
		})
	}
}

// TestRepeatsUntilWithFailedPoints: a configuration has no further rounds before its failed point
// is measured, and the others have theirs.
func TestRepeatsUntilWithFailedPoints(t *testing.T) {
	o := untilOptions(t, "5%")
	must.Get(runFake(t, o))(t)
	want := sortedIDs(t, o.Dir)
	fail := slices.IndexFunc(readPoints(t, o.Dir), func(p results.Point) bool {
		return p.ClientThreads == 4 && p.Repeat == 2
	})
	file := o.Dir + "/points.jsonl"
	text := must.Get(os.ReadFile(file))(t)
	lines := slices.Delete(strings.SplitAfter(string(text), "\n"), fail, fail+1)
	must.Do(t, os.WriteFile(file, []byte(strings.Join(lines, "")), 0o644))
	failing := o
	stdout := new(strings.Builder)
	failing.Stdout = stdout
	failing.command = slices.Clone(o.command)
	failing.command[3] = "client@go=failed point"
	sum, err := runFake(t, failing)
	if err == nil || len(sum.Failed) != 1 || sum.Measured != 0 {
		t.Errorf("with failures: found %+v, %v", sum, err)
	}
	if text := "not reached in 2 repeats, 1 more failed or are missing"; !strings.Contains(stdout.String(), text) {
		t.Errorf("stdout lacks %q:\n%s", text, stdout.String())
	}
	sum, err = runFake(t, o)
	if err != nil || sum.Measured != 1 || sum.Before != len(want)-1 {
		t.Errorf("continued: found %+v, %v, want 1 measured and %d before", sum, err, len(want)-1)
	}
	ok := slices.DeleteFunc(readPoints(t, o.Dir), func(p results.Point) bool { return p.Status != results.StatusOK })
	if len(ok) != len(want) {
		t.Errorf("found %d points, want %d", len(ok), len(want))
	}
}

// TestRepeatsUntilAtSharesOfThePeak: further rounds of a peak do not move the rates.
func TestRepeatsUntilAtSharesOfThePeak(t *testing.T) {
	o := searchOptions(t, "noisy", "client_threads: 2\nrate: [50%]\nrepeats_until: 1%\n")
	text := must.Get(os.ReadFile(o.SweepFile))(t)
	changed := strings.Replace(string(text), "client_threads: 1\n", "", 1)
	must.Do(t, os.WriteFile(o.SweepFile, []byte(changed), 0o644))
	sum, err := runFake(t, o)
	if err != nil || sum.Measured != 16 {
		t.Fatalf("got %+v, %v, want 8 repeats of the peak and of its half", sum, err)
	}
	rates := map[float64]int{}
	for _, p := range readPoints(t, o.Dir) {
		rates[p.RateOps]++
	}
	if len(rates) != 2 || rates[0] != 8 {
		t.Errorf("found these numbers of points by rate: %v", rates)
	}
	if sum, err = runFake(t, o); err != nil || sum.Before != 16 || sum.Measured != 0 {
		t.Errorf("again: got %+v, %v", sum, err)
	}
}

func TestRepeatsUntilDryRun(t *testing.T) {
	for file, want := range map[string]string{
		"": "\n3 repeats, and up to 12 of each configuration whose median throughput or p99 latency is not known " +
			"to ±5 %\nat most 36 points in at most about ",
		"rate: [20%, 50%]\n": "\nthe rates are shares of the peaks: 20%, 50%\n3 repeats, and up to 12 of each " +
			"configuration whose median throughput or p99 latency is not known to ±5 %\nat most 108 points in",
	} {
		o := untilOptions(t, "5%")
		text := must.Get(os.ReadFile(o.SweepFile))(t)
		must.Do(t, os.WriteFile(o.SweepFile, append(text, file...), 0o644))
		plan := must.Get(NewPlan(o))(t)
		var dry strings.Builder
		must.Do(t, DryRun(&dry, plan))
		must.Contain(t, dry.String(), want)
	}
}

// simulated returns the numbers of repeats of configurations whose throughputs are spread normally.
func simulated(s *sweep.Sweep, spread float64, rng *rand.Rand) (repeats []int) {
	plan := Plan{sweep: *s, points: s.Points()}
	plan.rounds = &roundPlan{&plan.sweep, map[string]*results.Point{}}
	done := func(id string) bool { return plan.rounds.byID[id] != nil }
	for due := plan.due(done); len(due) > 0; due = plan.due(done) {
		for i := range due {
			p := &results.Point{Identity: results.Identity{ID: due[i].ID, Status: results.StatusOK}}
			p.ThroughputOps, p.P99Ns = 1e6*(1+spread*rng.NormFloat64()), 1000
			plan.learn(p)
		}
	}
	for _, c := range plan.rounds.repeats(plan.points) {
		repeats = append(repeats, c.planned)
	}
	return repeats
}

// TestRepeatsUntilOfSimulatedPoints: with a spread of 1 %, 5 % takes six repeats; with one of 30 %,
// it takes more than 24. Between them, the number grows with the spread.
func TestRepeatsUntilOfSimulatedPoints(t *testing.T) {
	s := sweep.Default()
	s.RepeatsUntil = 5
	rng := rand.New(rand.NewPCG(1, 2))
	last := 0.0
	for _, spread := range []float64{0.01, 0.04, 0.06, 0.30} {
		sum, repeats := 0, simulated(&s, spread, rng)
		for _, n := range repeats {
			sum += n
		}
		mean := float64(sum) / float64(len(repeats))
		t.Logf("spread %g: %.1f repeats", spread, mean)
		if mean <= last || spread == 0.01 && mean != 6 || spread == 0.30 && mean != 24 {
			t.Errorf("spread %g: found %v repeats", spread, repeats)
		}
		last = mean
	}
}

func TestPrecisionAllowsForLowerBounds(t *testing.T) {
	for name, test := range map[string]struct {
		bounds []int // indexes of repeats of 100, 101, …, 109 ns
		known  bool
		text   string
	}{
		"none":                   {nil, true, "p99 ±3.3 %"},
		"above the interval":     {[]int{9}, true, "p99 ±3.3 %"},
		"within the interval":    {[]int{5}, false, "p99 without an interval"},
		"below the interval":     {[]int{0}, false, "p99 without an interval"},
		"in most of the repeats": {[]int{4, 5, 6, 7, 8, 9}, true, "p99 a lower bound"},
	} {
		var repeats []*results.Point
		for i := range 10 {
			p := &results.Point{Counted: results.Counted{ThroughputOps: 1e6}}
			p.P99Ns = int64(100 + i)
			if slices.Contains(test.bounds, i) {
				p.LatencyLowerBoundFrom = 99
			}
			repeats = append(repeats, p)
		}
		r := roundPlan{sweep: &sweep.Sweep{RepeatsUntil: 5}}
		p := precisions(repeats)[1]
		if r.known(repeats) != test.known || p.String() != test.text {
			t.Errorf("%s: found %v and %v", name, r.known(repeats), &p)
		}
	}
	p := precisions([]*results.Point{{Counted: results.Counted{ThroughputOps: 1e6}}})[0]
	if !math.IsInf(p.share, 1) || p.String() != "throughput without an interval" {
		t.Errorf("one repeat: found %v", &p)
	}
}
