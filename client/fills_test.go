package client

import (
	"slices"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/load"
	"dpukv/results"
)

// evicting is a server with room for a part of the keys.
func evicting(t *testing.T) *fakeRemote {
	r := newFakeRemote()
	r.faults.capacity, r.faults.evict = testKeys/4, true
	leakFree(t, r)
	return r
}

// TestMissesAreRefusedUnlessAllowed: the hit rate is a result only for who asks for it.
func TestMissesAreRefusedUnlessAllowed(t *testing.T) {
	cfg := smallLoad(t)
	_, err := Run(t.Context(), evicting(t), cfg)
	if err == nil || !strings.Contains(err.Error(), "GETs found their key") ||
		!strings.Contains(err.Error(), "on_miss allow") {
		t.Errorf("without misses: %v", err)
	}
	cfg.OnMiss = load.AllowMisses
	res := must.Get(Run(t.Context(), evicting(t), cfg))(t)
	checkSums(t, res)
	p := &res.Point
	checkKinds(t, res)
	if p.Misses == 0 || p.HitRate() < 0.2 || p.HitRate() > 0.3 || p.Fills > 0 {
		t.Errorf("a quarter of the keys fits: the hit rate is %.3f, with %d fills", p.HitRate(), p.Fills)
	}
}

// checkKinds checks that the latencies by kind of operation count what the point counts.
func checkKinds(t *testing.T, res *Result) {
	t.Helper()
	p := &res.Point
	ops := func(kind string) uint64 { return p.LatencyOfOp(kind).Ops }
	hits, misses, fills := ops(results.TagGetHit), ops(results.TagGetMiss), ops(results.TagFill)
	if want := p.Ops + p.LateOps; hits+misses+ops(results.TagSet) != want || fills != p.Fills {
		t.Errorf("found %+v, want %d operations and %d fills", p.ByOp, want, p.Fills)
	}
	if p.LateOps == 0 && (hits != p.Hits || misses != p.Misses) {
		t.Errorf("found %+v, want %d hits and %d misses", p.ByOp, p.Hits, p.Misses)
	}
}

// TestFills: each miss is followed by one SET of its key, after the delay, and the fills count apart.
func TestFills(t *testing.T) {
	for _, rate := range []float64{0, 50_000} {
		cfg := smallLoad(t)
		cfg.OnMiss, cfg.GetRatio, cfg.FillDelay = load.FillMisses, 1, time.Millisecond
		if cfg.RateOps = rate; rate > 0 {
			cfg.Arrivals = load.Poisson
		}
		r := evicting(t)
		res := must.Get(Run(t.Context(), r, cfg))(t)
		checkSums(t, res)
		checkKinds(t, res)
		p := &res.Point
		if p.Fills == 0 || p.LatencyOfOp(results.TagSet).Ops > 0 || p.LatencyOfOp(results.TagFill).P50Ns == 0 {
			t.Errorf("rate %g: %d fills, %+v", rate, p.Fills, p.ByOp)
		}
		if p.Stages != (results.Stages{}) {
			t.Errorf("rate %g: the server's time is that of fills, too: %+v", rate, p.Stages)
		}
		fillsFollowMisses(t, r)
	}
}

// fillsFollowMisses checks the order of all operations after the preload.
func fillsFollowMisses(t *testing.T, r *fakeRemote) {
	t.Helper()
	missed := map[string]int{}
	there := map[string]bool{}
	var order []string
	for i, op := range r.trace {
		key := r.traceKeys[i]
		switch {
		case op == kvs.Get && !there[key]:
			missed[key]++
		case op == kvs.Set:
			if missed[key]--; i >= testKeys && missed[key] < 0 {
				t.Fatalf("operation %d stores a key that no GET had missed", i)
			}
			missed[key] = max(missed[key], 0)
			if !there[key] {
				there[key], order = true, append(order, key)
			}
			if len(order) > testKeys/4 {
				delete(there, order[0])
				order = order[1:]
			}
		}
	}
}

// TestFillsKeepTheirOrder, also while their ring grows in the middle.
func TestFillsKeepTheirOrder(t *testing.T) {
	f := fills{on: true, delayNs: 5}
	var got, want []uint64
	for i := range uint64(5000) {
		f.push(i, int64(i))
		want = append(want, i)
		if i%3 == 0 {
			if next := f.pop(); next.dueNs == int64(next.key)+5 {
				got = append(got, next.key)
			}
		}
	}
	for f.n > 0 {
		got = append(got, f.pop().key)
	}
	if !slices.Equal(got, want) || f.dueNs() != neverNs {
		t.Errorf("%d keys, in another order, the next due at %d", len(got), f.dueNs())
	}
}

// TestFillsAreBounded: those beyond the limit are dropped and counted.
func TestFillsAreBounded(t *testing.T) {
	f := fills{on: true}
	for i := range uint64(mostFills + 3) {
		f.push(i, 0)
	}
	if last := f.queue[mostFills-1].key; f.n != mostFills || f.dropped != 3 || last != mostFills-1 {
		t.Errorf("%d wait, up to key %d, %d dropped", f.n, last, f.dropped)
	}
}
