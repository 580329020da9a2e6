package client

import (
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/load"
	"dpukv/results"
)

// simRequests is a load of a number of requests, in a closed loop with rate 0.
func simRequests(requests int, rate float64) Config {
	cfg := simLoad()
	cfg.Requests, cfg.Duration, cfg.RateOps = requests, 0, rate
	return cfg
}

// TestRequestsClosedLoop: exactly the requests count, and the period has the length that they take.
func TestRequestsClosedLoop(t *testing.T) {
	for _, batch := range []int{1, 16} {
		cfg := simRequests(10_001, 0)
		cfg.Window, cfg.Batch = 2, batch
		p := simulate(t, cfg, &simServer{serviceNs: 20_000}).Point
		// Two batches of the warm-up come first.
		batches := float64((10_001+batch-1)/batch + 2)
		if ns := float64(p.DurationNs); p.Ops != 10_001 || ns < (batches-3)*20_000 || ns > (batches+3)*20_000 {
			t.Errorf("batch %d: %d operations in %d ns, want 10,001 in %v", batch, p.Ops, p.DurationNs,
				batches*20_000)
		}
		if p.Requests != 10_001 || hasWarning(p, "few requests") {
			t.Errorf("requests %d, warnings %q", p.Requests, p.Warnings)
		}
	}
}

// TestRequestsOpenLoop: a stall at the end delays the last requests. They count with their latency,
// and the period lasts until they are answered.
func TestRequestsOpenLoop(t *testing.T) {
	cfg := simRequests(5000, 10_000)
	p := simulate(t, cfg, &simServer{serviceNs: 20_000, stallNs: 500e6, stallEndNs: 900e6}).Point
	if p.Ops != 5000 || p.LateOps != 0 || p.UnsentOps != 0 {
		t.Errorf("%d operations, %d late, %d unsent", p.Ops, p.LateOps, p.UnsentOps)
	}
	// The last is due 600 ms after the start. 4,000 are then to be answered after the stall.
	if p.DurationNs < 815e6 || p.DurationNs > 825e6 || p.MaxNs < 399e6 || p.MaxNs > 401e6 {
		t.Errorf("period of %d ns, latency %+v", p.DurationNs, p.Latency)
	}
	if p.LatencyLowerBoundFrom != 0 || !hasWarning(p, "target rate missed") {
		t.Errorf("lower bounds from %v, warnings %q", p.LatencyLowerBoundFrom, p.Warnings)
	}
}

// TestFewRequests: a period that the warm-up's requests take a good part of says so.
func TestFewRequests(t *testing.T) {
	cfg := simRequests(100, 0)
	p := simulate(t, cfg, &simServer{serviceNs: 20_000}).Point
	if p.Ops != 100 || !hasWarning(p, "few requests: up to 64 operations") {
		t.Errorf("%d operations, warnings %q", p.Ops, p.Warnings)
	}
}

// TestRequestsOfThreads: the threads of a real client do the requests between them, in both loops.
func TestRequestsOfThreads(t *testing.T) {
	for _, rate := range []float64{0, 50_000} {
		r := newFakeRemote()
		leakFree(t, r)
		cfg := smallLoad(t)
		cfg.Threads, cfg.Requests, cfg.Duration, cfg.RateOps = 3, 7001, 0, rate
		res := mustRun(t, r, cfg)
		p := &res.Point
		if p.Ops != 7001 || p.LateOps+p.UnsentOps > 0 || p.DurationNs <= 0 {
			t.Errorf("rate %v: %d operations, %d late, %d unsent in %d ns", rate, p.Ops, p.LateOps,
				p.UnsentOps, p.DurationNs)
		}
		p.ID, p.Placement, p.Repeat = "load", "attached", 1
		if err := results.Validate(p); err != nil {
			t.Error(err)
		}
	}
}

// TestFailedRequestsHaveADuration: a run that fails before its last request has finite figures.
func TestFailedRequestsHaveADuration(t *testing.T) {
	r := newFakeRemote()
	r.faults.dieAt = 3*testKeys + 1000
	cfg := smallLoad(t)
	cfg.Requests, cfg.Duration = 1<<40, 0
	res, err := Run(t.Context(), r, cfg)
	if err == nil || res.Point.DurationNs <= 0 || res.Point.ThroughputOps < 0 {
		t.Errorf("%v, %d ns", err, res.Point.DurationNs)
	}
}

// TestReconnectsOpenLoop: operations that become due during a reconnect wait for it, and show that.
func TestReconnectsOpenLoop(t *testing.T) {
	cfg := simLoad()
	cfg.ReconnectEvery = 1000
	s := &simServer{serviceNs: 20_000, reopenNs: 5_000_000}
	p := simulate(t, cfg, s).Point
	if p.Ops != 10_000 || p.Reconnects != 10 || p.ReconnectMeanNs != 5e6 {
		t.Errorf("%d operations, %d reconnects of %v ns", p.Ops, p.Reconnects, p.ReconnectMeanNs)
	}
	// 50 of each 1,000 operations wait, the first of them for the whole reconnect.
	if p.MaxNs < 4_900_000 || p.P95Ns < 20_000 || p.P99Ns < 3_500_000 || p.Actual.P50Ns > 25_000 {
		t.Errorf("latency %+v, actual %+v", p.Latency, p.Actual)
	}
	if p.ClientLag.MaxNs > 1000 || !hasWarning(p, "or connections reopened") {
		t.Errorf("lag %+v, warnings %q", p.ClientLag, p.Warnings)
	}
}

// TestReconnectsClosedLoop: reconnects lower the throughput, and no latency has them.
func TestReconnectsClosedLoop(t *testing.T) {
	cfg := simRequests(10_000, 0)
	cfg.ReconnectEvery, cfg.Window, cfg.Warmup = 100, 1, 0
	p := simulate(t, cfg, &simServer{serviceNs: 20_000, reopenNs: 1_000_000}).Point
	if p.Ops != 10_000 || p.Reconnects < 99 || p.Reconnects > 100 || p.MaxNs > 21_000 {
		t.Errorf("%d operations, %d reconnects, latency %+v", p.Ops, p.Reconnects, p.Latency)
	}
	if want := int64(10_000*20_000 + 99*1_000_000); p.DurationNs < want || p.DurationNs > want+want/50 {
		t.Errorf("period of %d ns, want %d", p.DurationNs, want)
	}
}

// TestReconnectsOfThreads: a real client opens and closes as many sessions as it says.
func TestReconnectsOfThreads(t *testing.T) {
	for _, rate := range []float64{0, 50_000} {
		r := newFakeRemote()
		leakFree(t, r)
		cfg := smallLoad(t)
		cfg.Requests, cfg.Duration, cfg.Warmup, cfg.RateOps = 5000, 0, 0, rate
		cfg.ReconnectEvery = 500
		p := mustRun(t, r, cfg).Point
		if p.Ops != 5000 || p.Reconnects < 8 || p.ReconnectMeanNs <= 0 || p.FramesPerWrite < 0 {
			t.Errorf("rate %v: %d operations, %d reconnects of %v ns", rate, p.Ops, p.Reconnects,
				p.ReconnectMeanNs)
		}
		if p.OpsPerFrame < 1 || p.OpsPerFrame > 16 {
			t.Errorf("rate %v: %v operations in a frame, allowed: 1 to 16", rate, p.OpsPerFrame)
		}
	}
}

// TestRefusedRequests: contradictions are refused before any load.
func TestRefusedRequests(t *testing.T) {
	for name, change := range map[string]func(*fakeRemote, *Config){
		"requests: found 5 with a duration of 300ms": func(_ *fakeRemote, c *Config) { c.Requests = 5 },
		"duration: found 0s":                         func(_ *fakeRemote, c *Config) { c.Duration = 0 },
		"reconnect_every: found 9 with the fake server over rdma": func(r *fakeRemote, c *Config) {
			c.ReconnectEvery, r.facts.Transport = 9, "rdma"
		},
	} {
		r, cfg := newFakeRemote(), periodLoad(t)
		change(r, &cfg)
		cfg.Timeout = time.Second
		if res, err := Run(t.Context(), r, cfg); res != nil || err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("found %v, want %q", err, name)
		}
	}
}

// TestReconnectsWithFills: fills take more of a connection than was left, and it is opened anew all
// the same.
func TestReconnectsWithFills(t *testing.T) {
	cfg := smallLoad(t)
	cfg.OnMiss, cfg.GetRatio, cfg.ReconnectEvery = load.FillMisses, 1, 5
	cfg.Requests, cfg.Duration = 2000, 0
	p := must.Get(Run(t.Context(), evicting(t), cfg))(t).Point
	if p.Ops != 2000 || p.Fills == 0 || p.Reconnects < 100 {
		t.Errorf("%d operations, %d fills, %d reconnects", p.Ops, p.Fills, p.Reconnects)
	}
}
