package results_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"dpukv/results"
)

// wandering makes intervals of 200 latencies around 100 µs. Their level wanders: each interval
// keeps this share of the deviation of the one before. Each level has the same distribution.
func wandering(rng *rand.Rand, n int, kept float64) []results.Interval {
	var list []results.Interval
	level := rng.NormFloat64()
	for i := range n {
		level = kept*level + math.Sqrt(1-kept*kept)*rng.NormFloat64()
		h := results.NewHistogram()
		for range 200 {
			results.Record(h, int64(1e5*math.Exp(0.1*level+0.2*rng.NormFloat64())))
		}
		start := time.Unix(1000, 0).Add(time.Duration(i) * 250 * time.Millisecond)
		list = append(list, results.Interval{
			Tag: results.TagIntended, Start: start, End: start.Add(250 * time.Millisecond), Histogram: h,
		})
	}
	return list
}

// The level of a period wanders, so its latencies tell less than as many independent ones.
// A bootstrap of single intervals holds the truth in 32 of these 60 periods, one of blocks in 44.
func TestIntervalsHoldTheTruePercentiles(t *testing.T) {
	rng, held := rand.New(rand.NewPCG(17, 18)), [2]int{}
	const periods, n = 60, 60
	deviation := math.Hypot(0.1, 0.2) // of the logarithm, over all levels
	truth := [2]float64{1e5, 1e5 * math.Exp(1.644854*deviation)}
	for range periods {
		got := results.LatencyIntervalOf(wandering(rng, n, 0.8), results.TagIntended)
		ends := [2][2]int64{{got.P50LoNs, got.P50HiNs}, {got.P95LoNs, got.P95HiNs}}
		for i, e := range ends {
			if float64(e[0]) <= truth[i] && truth[i] <= float64(e[1]) {
				held[i]++
			}
		}
	}
	t.Logf("of %d periods, %d hold the median and %d p95", periods, held[0], held[1])
	for i, n := range held {
		if n < periods*2/3 {
			t.Errorf("percentile %d: %d of %d intervals hold the truth", i, n, periods)
		}
	}
}

func TestIntervalOfTooFewIntervals(t *testing.T) {
	few := wandering(rand.New(rand.NewPCG(19, 20)), 9, 0)
	if got := results.LatencyIntervalOf(few, results.TagIntended); got != (results.LatencyInterval{}) {
		t.Errorf("9 intervals: found %+v", got)
	}
	if got := results.LatencyIntervalOf(nil, results.TagActual); got != (results.LatencyInterval{}) {
		t.Errorf("no interval: found %+v", got)
	}
}

// The ends enclose the percentile of the whole period, and the same intervals give the same ends.
func TestIntervalsEncloseTheFigure(t *testing.T) {
	intervals := wandering(rand.New(rand.NewPCG(21, 22)), 20, 0.5)
	got := results.LatencyIntervalOf(intervals, results.TagIntended)
	h, err := results.MergeTag(intervals, results.TagIntended)
	if err != nil {
		t.Fatal(err)
	}
	l := results.LatencyOf(h)
	for _, c := range [][3]int64{
		{got.P50LoNs, l.P50Ns, got.P50HiNs},
		{got.P95LoNs, l.P95Ns, got.P95HiNs},
		{got.P99LoNs, l.P99Ns, got.P99HiNs},
		{got.P999LoNs, l.P999Ns, got.P999HiNs},
	} {
		if c[0] > c[1] || c[1] > c[2] || c[0] == c[2] {
			t.Errorf("found %v, want them ascending", c)
		}
	}
	if again := results.LatencyIntervalOf(intervals, results.TagIntended); again != got {
		t.Errorf("found %+v, then %+v", got, again)
	}
}
