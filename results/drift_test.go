package results_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"dpukv/results"
)

// period is a point with intervals of these operations, in thousands, and median latencies in
// microseconds.
func period(kops, latency func(i int) float64, n int) (*results.Point, []results.Interval) {
	const length = 250 * time.Millisecond
	p := &results.Point{
		Counted: results.Counted{
			StartedAt: time.Unix(1000, 300), DurationNs: int64(n) * int64(length),
		},
	}
	var list []results.Interval
	for i := range n {
		h := results.NewHistogram()
		_ = h.RecordValues(int64(latency(i)*1e3), int64(kops(i)*1e3))
		start := p.StartedAt.Add(time.Duration(i) * length)
		list = append(list, results.Interval{
			Tag: results.TagIntended, Start: start, End: start.Add(length), Histogram: h,
		})
	}
	// Late answers come after the period.
	late := list[n-1]
	late.Start, late.End = late.End, late.End.Add(length)
	late.Histogram = results.NewHistogram()
	_ = late.Histogram.RecordValues(9e6, 3)
	return p, append(list, late)
}

func TestDrift(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	noise := func(int) float64 { return 100 * (1 + 0.02*rng.NormFloat64()) }
	ramp := func(share float64) func(int) float64 {
		return func(i int) float64 { return noise(i) * (1 + share*float64(i)/19) }
	}
	for name, c := range map[string]struct {
		kops, latency func(int) float64
		want          string // of all warnings; "": none
	}{
		"steady":          {noise, noise, ""},
		"falls":           {ramp(-0.2), noise, "drift: the throughput fell by "},
		"rises":           {ramp(0.2), noise, "drift: the throughput rose by "},
		"queue grows":     {noise, ramp(1), "drift: the median latency rose by "},
		"a small drift":   {func(i int) float64 { return 100 + 0.1*float64(i) }, noise, ""},
		"a burst":         {func(i int) float64 { return noise(i) - float64(60*(i/8%2)) }, noise, ""},
		"one bad ending":  {func(i int) float64 { return noise(i) - float64(80*(i/19)) }, noise, ""},
		"constant medium": {func(int) float64 { return 100 }, func(int) float64 { return 50 }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p, intervals := period(c.kops, c.latency, 20)
			got := results.DriftWarnings(p, intervals)
			if c.want == "" && got != nil ||
				c.want != "" && (len(got) != 1 || !strings.HasPrefix(got[0].Text, c.want)) {
				t.Errorf("found %q, want one that begins %q", got, c.want)
			}
		})
	}
	six, intervals := period(func(i int) float64 { return 100 + 10*float64(i) }, noise, 6)
	if got := results.DriftWarnings(six, intervals); len(got) != 1 {
		t.Errorf("six rising intervals: found %q", got)
	}
	if got := results.DriftWarnings(six, intervals[:5]); got != nil {
		t.Errorf("five intervals: found %q", got)
	}
	if got := results.DriftWarnings(six, nil); got != nil {
		t.Errorf("no interval: found %q", got)
	}
}

// Steady periods are taken for drifting at most at the level of the test, once for each figure.
func TestSteadyPeriodsHardlyDrift(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26))
	noise := func(int) float64 { return 100 * (1 + 0.2*rng.NormFloat64()) }
	warned := 0
	for range 20 {
		p, intervals := period(noise, func(int) float64 { return 50 }, 12)
		warned += len(results.DriftWarnings(p, intervals))
	}
	if warned > 10 { // three are expected
		t.Errorf("%d of 300 steady periods drift", warned)
	}
}

// A full queue in its steady state hardly drifts, though its answers depend on each other. With
// slices of 100 ms, a period of 5 s at 5,000 requests a second drifted in 10 %. Here 20,000 come, and
// all times are a fourth.
func TestSteadyQueuesHardlyDrift(t *testing.T) {
	const length, interval, all = 1250 * time.Millisecond, 25 * time.Millisecond, 600
	q := queue{load: 0.95, exponential: true}
	rng, left := rand.New(rand.NewPCG(27, 28)), 0.0
	p := &results.Point{Counted: results.Counted{StartedAt: time.Unix(1000, 0), DurationNs: int64(length)}}
	q.period(rng, &left, length, interval) // until it no longer begins empty
	warned := 0
	for range all {
		if results.DriftWarnings(p, q.period(rng, &left, length, interval)) != nil {
			warned++
		}
	}
	t.Logf("%d of %d steady periods drift", warned, all)
	if warned > all*2/100 {
		t.Errorf("%d of %d steady periods drift, allowed: 2 %%", warned, all)
	}
}

// TestDriftNeverFallsByMoreThanAll: whatever a period did, no figure fell by more than 100 %, and no
// change has a sign.
func TestDriftNeverFallsByMoreThanAll(t *testing.T) {
	rng, warned := rand.New(rand.NewPCG(25, 26)), 0
	for range 20 {
		steep := rng.Float64() * 0.9
		fall := func(i int) float64 { return 1000 * math.Pow(steep, float64(i)) }
		p, intervals := period(fall, func(i int) float64 { return 1e4*math.Pow(steep, float64(i)) + 1 }, 6+rng.IntN(20))
		for _, w := range results.DriftWarnings(p, intervals) {
			warned++
			_, share, _ := strings.Cut(w.Text, " fell by ")
			number, _, _ := strings.Cut(share, " %")
			if x, err := strconv.ParseFloat(number, 64); err != nil || x <= 0 || x > 100 {
				t.Fatalf("found %q", w.Text)
			}
		}
	}
	if warned == 0 {
		t.Error("no period drifted")
	}
}
