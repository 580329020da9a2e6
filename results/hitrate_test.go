package results

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// hitLog is a histogram log of n intervals, each with the hits and misses that draw returns.
func hitLog(n int, draw func(i int) (hits, misses int64)) (log []Interval) {
	for i := range n {
		from := time.Unix(1000, 0).Add(time.Duration(i) * 100 * time.Millisecond)
		hits, misses := draw(i)
		for _, of := range []struct {
			tag string
			ops int64
		}{{TagIntended, hits + misses}, {TagGetHit, hits}, {TagGetMiss, misses}} {
			if of.ops > 0 {
				h := NewHistogram()
				RecordN(h, 1000, of.ops)
				log = append(log, Interval{of.tag, from, from.Add(100 * time.Millisecond), h})
			}
		}
	}
	return log
}

// TestHitRateIntervalHolds: of 1,000 periods each, with a hit rate that is the same throughout, or
// that wanders as that of a cache whose contents change slowly.
func TestHitRateIntervalHolds(t *testing.T) {
	const periods, gets = 1000, 200
	for _, c := range []struct {
		name   string
		memory float64 // of the rate from an interval to the next
	}{{"independent", 0}, {"wanders", 0.5}} {
		rng := rand.New(rand.NewPCG(7, 7))
		held := 0
		for range periods {
			x := rng.NormFloat64()
			hits, misses := make([]float64, sections), make([]float64, sections)
			for at := range 50 {
				x = c.memory*x + math.Sqrt(1-c.memory*c.memory)*rng.NormFloat64()
				for range gets {
					if rng.Float64() < 0.7+0.05*x*min(1, 2*c.memory) {
						hits[at/10]++
					} else {
						misses[at/10]++
					}
				}
			}
			if i := hitRateInterval(hits, misses); i.Lo <= 0.7 && 0.7 <= i.Hi {
				held++
			}
		}
		share := float64(held) / periods
		low := share - 1.96*math.Sqrt(share*(1-share)/periods)
		t.Logf("%s: held %.1f %%", c.name, 100*share)
		if low < 0.88 {
			t.Errorf("%s: held the rate in %.1f %% of the periods", c.name, 100*share)
		}
	}
}

func TestHitRateInterval(t *testing.T) {
	all := func(int) (int64, int64) { return 100, 0 }
	some := func(i int) (int64, int64) { return 90, int64(10 * (i % 2)) } // every second has a miss
	for name, c := range map[string]struct {
		log  []Interval
		want bool
	}{
		"no miss": {hitLog(20, all), false}, "too few intervals": {hitLog(9, some), false},
		"some misses": {hitLog(20, some), true}, "nothing": {nil, false},
	} {
		if i := HitRateIntervalOf(c.log); (i.Sections > 0) != c.want || i.Lo > i.Hi || i.Hi > 1 {
			t.Errorf("%s: %+v", name, i)
		}
	}
	rises := hitLog(40, func(i int) (int64, int64) { return 60 + int64(i), 40 })
	p := &Point{}
	p.StartedAt, p.DurationNs = time.Unix(1000, 0), int64(4*time.Second)
	if w := DriftWarnings(p, rises); !w.Has(Drift) || len(w) != 2 { // the throughput, too
		t.Errorf("a hit rate that rises: %v", w)
	}
}

func TestByOpOf(t *testing.T) {
	by := &Point{}
	by.ByOp = ByOpOf(hitLog(10, func(int) (int64, int64) { return 3, 1 }))
	if by.LatencyOfOp(TagGetHit).Ops != 30 || by.LatencyOfOp(TagGetMiss).Ops != 10 ||
		by.LatencyOfOp(TagSet).Ops != 0 || len(by.ByOp) != 2 ||
		by.LatencyOfOp(TagGetHit).P50Ns != 1000 || by.ByOp[1].Title() != "GET miss" {
		t.Errorf("found %+v", by.ByOp)
	}
}
