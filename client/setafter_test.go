package client

import (
	"math"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/load"
	"dpukv/results"
)

// TestSetsWaitForGets: each SET of the load comes after a GET of its key that had none, and SETs have
// their share. Wrong cookies or lost SETs would fail the run.
func TestSetsWaitForGets(t *testing.T) {
	for _, rate := range []float64{0, 100_000} {
		cfg := smallLoad(t)
		cfg.GetRatio, cfg.SetAfter = 2.0/3, load.SetAfterGet
		if cfg.RateOps = rate; rate > 0 {
			cfg.Arrivals = load.Poisson
		}
		r := newFakeRemote()
		r.latency = time.Millisecond
		leakFree(t, r)
		res := must.Get(Run(t.Context(), r, cfg))(t)
		checkSums(t, res)
		read, gets, sets, answered := map[string]int{}, 0, 0, 2*testKeys
		for i, op := range r.trace[answered:] {
			key := r.traceKeys[answered+i]
			if op == kvs.Get {
				gets++
				read[key]++
			} else if read[key]--; read[key] < 0 {
				t.Fatalf("rate %g: operation %d writes a key that no GET had asked for", rate, i)
			} else {
				sets++
			}
		}
		p := &res.Point
		share := float64(p.Gets) / float64(p.Ops)
		if sets == 0 || math.Abs(share-2.0/3) > 0.05 || p.LatencyOfOp(results.TagSet).Ops == 0 {
			t.Errorf("rate %g: found %d GETs and %d SETs, a share of %.3f, want 0.667", rate, gets, sets, share)
		}
	}
}

// TestSetsWaitInMisses: the SET that follows a GET also stores what that missed.
func TestSetsWaitInMisses(t *testing.T) {
	cfg := smallLoad(t)
	cfg.GetRatio, cfg.SetAfter, cfg.OnMiss = 0.5, load.SetAfterGet, load.FillMisses
	p := must.Get(Run(t.Context(), evicting(t), cfg))(t).Point
	if p.Misses == 0 || p.Fills > 0 {
		t.Errorf("%d misses, %d fills", p.Misses, p.Fills)
	}
}
