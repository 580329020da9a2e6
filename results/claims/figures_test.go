package claims

import (
	"math"
	"slices"
	"strings"
	"testing"

	"dpukv/results"
)

// One figure of each kind equals a value computed by hand.
func TestFigures(t *testing.T) {
	host := placed("mica", "CH-SH", 3e6, 1e5, all(1))
	dpu := placed("mica", "CD-SH", 1e6, 2e5, all(1))
	server := placed("mica", "CH-SD", 1.2e6, 3e5, all(1), func(p *results.Point) { p.ThroughputOps = 1.2e6 })
	both := placed("mica", "CD-SD", 0.9e6, 2e5, all(1))
	run := bf2(host, dpu, server, both)
	bf3 := Run{Name: "bf3", Points: slices.Concat(placed("mica", "CH-SH", 3e6, 0.5e5, all(1)),
		placed("mica", "CH-SD", 3.9e6, 0.3e5, all(1))), Generations: []string{"bf3"}}
	for _, c := range []struct {
		finding, says string
		want          float64
	}{
		{"A1-mica", "peaks highest", 3 / 1.2},
		{"A1-mica", "peak with both on hosts over that", 3 / 0.9},
		{"A1-mica", "latency with the client on a DPU over", 2},
		{"A1-bf2-sd", "does not change", 1},
		{"A1-cdsh", "rises linearly", 0},
		{"A2", "MICA's peaks", 0.1},
		{"A1-ch-bf3", "behind a BF-2 over that behind a BF-3", 2},
		{"A1-mica-bf3", "lower than with both on hosts by", 0.4},
		{"A1-mica-bf3", "server on a BF-3 over that with both on hosts behind a BF-2", 1.3},
		{"A3-share", "host client's CPU time that goes into hashing in MICA", 0.016},
	} {
		found := false
		for _, o := range outcomes(t, c.finding, run, bf3) {
			if !strings.Contains(o.Says, c.says) || o.Measured == nil {
				continue
			}
			if found = true; math.Abs(*o.Measured-c.want) > 0.001 {
				t.Errorf("%s, %s: %v, want %v", c.finding, o.Says, *o.Measured, c.want)
			}
			if *o.Low > *o.Measured || *o.High < *o.Measured {
				t.Errorf("%s, %s: %v is not within %v and %v", c.finding, o.Says, *o.Measured, *o.Low, *o.High)
			}
		}
		if !found {
			t.Errorf("%s, %s: not measured", c.finding, c.says)
		}
	}
}

// A claim about latencies at a similar throughput compares no other latencies, whatever the loads
// are.
func TestLatencyAtASimilarThroughput(t *testing.T) {
	behind := func(generation string, ops, ns float64) Run {
		points := placed("mica", "CH-SH", ops, ns, all(1))
		return Run{Name: generation, Points: points, Generations: []string{generation}}
	}
	// With 1, 2 and 4 threads, one generation reaches .75, 1.5 and 3. The other reaches .8, 1.6 and
	// 3.2, or a third more.
	near := outcomes(t, "A1-ch-bf3", behind("bf2", 3e6, 2e5), behind("bf3", 3.2e6, 1e5))[0]
	if near.Measured == nil || math.Abs(*near.Measured-2) > 0.001 ||
		!strings.Contains(near.Which, "at 0.75 over 0.8 Mops") {
		t.Errorf("within 10 %%: %+v", near)
	}
	far := outcomes(t, "A1-ch-bf3", behind("bf2", 3e6, 2e5), behind("bf3", 4e6, 1e5))[0]
	if far.Verdict != NotMeasured || !strings.Contains(far.Why, "within 10 % of each other") {
		t.Errorf("a third apart: %+v", far)
	}
	// One generation has twice the throughput a thread: its 1 and 2 threads equal 2 and 4 of the
	// other.
	if twice := outcomes(t, "A1-ch-bf3", behind("bf2", 3e6, 2e5), behind("bf3", 6e6, 1e5))[0]; twice.Measured == nil ||
		math.Abs(*twice.Measured-4) > 0.001 {
		t.Errorf("at half the threads: %+v", twice)
	}
}

// A share of hashing is for the study's hash function, and says if it was not sampled.
func TestHashShareIsOfTheStudysHash(t *testing.T) {
	run := func(hash, by string) []Outcome {
		points := placed("herd", "CH-SH", 1e6, 1e5, func(p *results.Point) {
			p.Hash, p.ClientHashShareBy = hash, by
		})
		return outcomes(t, "A3-share", Run{Name: "here", Points: points})
	}
	host := func(list []Outcome) Outcome {
		i := slices.IndexFunc(list, func(o Outcome) bool {
			return strings.Contains(o.Says, "host client's CPU time that goes into hashing in HERD")
		})
		return list[i]
	}
	if o := host(run("xxhash64", "sampling")); o.Verdict != NotMeasured || !strings.Contains(o.Why, "city128") {
		t.Errorf("another hash: %s, %s", o.Verdict, o.Why)
	}
	if o := host(run("city128", "sampling")); o.Measured == nil || strings.Contains(o.Why, "estimate") {
		t.Errorf("sampled: %+v", o)
	}
	if o := host(run("city128", "estimate: operations times the calibrated time of one hash")); o.Measured == nil ||
		!strings.Contains(o.Why, "4 of these points estimate") {
		t.Errorf("estimated: %+v", o)
	}
}
