package results_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
)

// queue is a server with one queue, to which requests come at random. Its true percentiles are known.
type queue struct {
	name        string
	load        float64
	exponential bool       // service times; else all are alike
	truth       [4]float64 // p50, p95, p99 and p99.9 of the time in the system, in mean service times
}

// Those of M/D/1 are of 600 million simulated requests.
var queues = []queue{
	{"M/D/1", 0.5, false, [4]float64{1.000, 3.050, 4.337, 6.169}},
	{"M/D/1", 0.8, false, [4]float64{2.276, 7.619, 11.354, 16.685}},
	{"M/D/1", 0.9, false, [4]float64{4.013, 15.118, 22.880, 33.934}},
	{"M/M/1", 0.5, true, memoryless(0.5)},
	{"M/M/1", 0.8, true, memoryless(0.8)},
	{"M/M/1", 0.9, true, memoryless(0.9)},
}

// memoryless is exponential: the time in an M/M/1 queue.
func memoryless(load float64) (truth [4]float64) {
	for i, q := range [4]float64{0.5, 0.95, 0.99, 0.999} {
		truth[i] = -math.Log(1-q) / (1 - load)
	}
	return truth
}

const perSecond = 20_000 // requests

// period is the histogram log of a measurement period; left is the work that the period before left.
func (q *queue) period(
	rng *rand.Rand, left *float64, length, interval time.Duration,
) []results.Interval {
	var list []results.Interval
	nsPerService := q.load / perSecond * 1e9
	for at, i := 0.0, -1; ; {
		gap := rng.ExpFloat64() / perSecond * 1e9
		at += gap
		if at >= float64(length) {
			return list
		}
		for ; i < int(at/float64(interval)); i++ {
			start := time.Unix(1000, 0).Add(time.Duration(i+1) * interval)
			list = append(list, results.Interval{
				Tag: results.TagIntended, Start: start, End: start.Add(interval), Histogram: results.NewHistogram(),
			})
		}
		service := 1.0
		if q.exponential {
			service = rng.ExpFloat64()
		}
		*left = max(*left-gap/nsPerService, 0) + service
		results.Record(list[i].Histogram, int64(*left*nsPerService))
	}
}

// held counts the periods whose intervals hold the truth, and those without a high end.
func (q *queue) held(periods int, length time.Duration) (held, open [4]int) {
	rng, left := rand.New(rand.NewPCG(17, uint64(length))), 0.0
	q.period(rng, &left, 10*time.Second, time.Second) // until it no longer began empty
	nsPerService := q.load / perSecond * 1e9
	for range periods {
		got := results.LatencyIntervalOf(q.period(rng, &left, length, length/10), results.TagIntended)
		ends := [4][2]int64{
			{got.P50LoNs, got.P50HiNs},
			{got.P95LoNs, got.P95HiNs},
			{got.P99LoNs, got.P99HiNs},
			{got.P999LoNs, got.P999HiNs},
		}
		for i, e := range ends {
			truth := q.truth[i] * nsPerService
			if e[1] == 0 {
				open[i]++
			}
			// Values of a histogram are the upper ends of its steps, of a thousandth.
			if float64(e[0])*0.999 <= truth && (e[1] == 0 || truth <= float64(e[1])) {
				held[i]++
			}
		}
	}
	return held, open
}

var periods = flag.Int("periods", 60, "simulated periods per queue and length; 1,000 or more: all lengths")

// TestIntervalsHoldTheTruth: nominal 95 % is at least 88 %, where queues make answers depend on each
// other, for periods too short for a high end, too. The seeds were chosen before the first run.
func TestIntervalsHoldTheTruth(t *testing.T) {
	lengths, least := []time.Duration{1, 2, 5, 10}, 0.88
	if *periods < 1000 {
		lengths, least = lengths[:1], 0.70
	}
	for _, q := range queues {
		t.Run(fmt.Sprintf("%s/%.1f", q.name, q.load), func(t *testing.T) {
			t.Parallel()
			for _, seconds := range lengths {
				held, open := q.held(*periods, seconds*time.Second)
				text := fmt.Sprintf("%2d s", seconds)
				for i, n := range held {
					share := float64(n) / float64(*periods)
					low := share - 1.96*math.Sqrt(share*(1-share)/float64(*periods))
					text += fmt.Sprintf("  %5.1f (%3.0f)", 100*share, 100*float64(open[i])/float64(*periods))
					if low < least {
						t.Errorf("%d s, percentile %d: at least %.1f %% of the intervals hold the truth, want %v",
							seconds, i, 100*low, 100*least)
					}
				}
				t.Log(text)
			}
		})
	}
}

func TestIntervalOfTooFewIntervals(t *testing.T) {
	left := 0.0
	few := queues[0].period(rand.New(rand.NewPCG(19, 20)), &left, time.Second, time.Second/10)[:9]
	if got := results.LatencyIntervalOf(few, results.TagIntended); got != (results.LatencyInterval{}) {
		t.Errorf("9 intervals: found %+v", got)
	}
	if got := results.LatencyIntervalOf(nil, results.TagActual); got != (results.LatencyInterval{}) {
		t.Errorf("no interval: found %+v", got)
	}
}

// TestNoHighEnd: answers beyond a percentile that all come in one burst say nothing of its high end.
func TestNoHighEnd(t *testing.T) {
	left := 0.0
	intervals := queues[0].period(rand.New(rand.NewPCG(21, 22)), &left, 2*time.Second, time.Second/5)
	for range 300 {
		results.Record(intervals[7].Histogram, 5e6)
	}
	p := resultstest.Point(func(p *results.Point) {
		p.LatencyInterval = results.LatencyIntervalOf(intervals, results.TagIntended)
	})
	h := must.Get(results.MergeTag(intervals, results.TagIntended))(t)
	for _, m := range results.LatencyMetrics() {
		if open := m.NoHighEnd(&p); open != (m.Short == "p99" || m.Short == "p999") {
			t.Errorf("%s: no high end: found %v", m.Short, open)
		}
		if m.FromActualSend().NoHighEnd(&p) {
			t.Errorf("%s: found an interval that is not there", m.Short)
		}
	}
	i, l := p.LatencyInterval, results.LatencyOf(h)
	for _, c := range [][3]int64{{i.P50LoNs, l.P50Ns, i.P50HiNs}, {i.P95LoNs, l.P95Ns, i.P95HiNs}} {
		if c[0] > c[1] || c[1] > c[2] || c[0] == c[2] {
			t.Errorf("found %v, want them ascending", c)
		}
	}
	if i.P999LoNs > l.P999Ns {
		t.Errorf("found %+v of %+v", i, l)
	}
}
