package client

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"dpukv/kvs"
	"dpukv/load"
	"dpukv/results"
)

// TestComputeDelaysExactly: with one batch in flight, a cycle is the longer one of the server's time
// and the compute, and a few turns of the client's loop. The latency ends with the compute.
func TestComputeDelaysExactly(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		cfg := simLoad()
		cfg.RateOps, cfg.Window, cfg.Warmup, cfg.Duration = 0, 1, 5*time.Millisecond, 20*time.Millisecond
		cfg.Batch = rapid.IntRange(1, 64).Draw(rt, "batch")
		cfg.Compute = time.Duration(rapid.Int64Range(1, 500).Draw(rt, "compute")) * time.Microsecond
		s := &simServer{serviceNs: 1000 * rapid.Int64Range(1, 500).Draw(rt, "service")}
		p := simulate(t, cfg, s).Point
		cycle := float64(max(s.serviceNs, int64(cfg.Compute)))
		got := 1e9 / p.ThroughputOps * float64(cfg.Batch)
		if got < cycle*0.9 || got > (cycle+500)*1.1 { // a period begins and ends within a cycle
			rt.Errorf("a cycle of %v ns, want %v", got, cycle)
		}
		if p.Actual.MeanNs < cycle*0.999 || p.Actual.MeanNs > cycle*1.01+500 {
			rt.Errorf("a mean of %v ns, want %v", p.Actual.MeanNs, cycle)
		}
		if math.Abs(p.ComputeMeanNs-float64(cfg.Compute)) > 1e-3 || hasWarning(p, "compute slowed") {
			rt.Errorf("a compute took %v ns in the mean, asked: %v", p.ComputeMeanNs, cfg.Compute)
		}
		each := p.ComputeCPUNsPerOp * float64(cfg.Batch)
		if most := float64(cfg.Compute); each < most*0.9 || each > most*1.1 {
			rt.Errorf("%v ns of compute a batch, want %v", each, most)
		}
	})
}

// TestComputeFollowsEachBatch: a thread computes once for each batch, even where the windows have
// room for more.
func TestComputeFollowsEachBatch(t *testing.T) {
	cfg := simLoad()
	cfg.RateOps, cfg.Batch, cfg.Compute = 0, 16, 100*time.Microsecond
	p := simulate(t, cfg, &simServer{serviceNs: 1000}).Point
	if got := p.ThroughputOps; got < 159_000 || got > 160_000 {
		t.Errorf("%v operations a second, want one batch of 16 in each 100 µs", got)
	}
	if !hasWarning(p, "batches back in the mean: it computed 100 µs for each of them") {
		t.Errorf("warnings %q", p.Warnings)
	}
}

// TestScheduleStaysWithCompute: the due times don't depend on the compute. A batch that is due
// meanwhile waits, and its latency has the wait.
func TestScheduleStaysWithCompute(t *testing.T) {
	cfg := simLoad() // a batch each 100 µs
	cfg.Compute = 60 * time.Microsecond
	p := simulate(t, cfg, &simServer{serviceNs: 20_000}).Point
	if p.Ops != 10_000 || p.UnsentOps != 0 || p.P50Ns < 60_000 || p.MaxNs > 61_000 || p.ClientLag.MaxNs > 200 {
		t.Errorf("%d operations, %d unsent, latency %+v, lag %+v", p.Ops, p.UnsentOps, p.Latency, p.ClientLag)
	}
	cfg.Compute = 125 * time.Microsecond
	p = simulate(t, cfg, &simServer{serviceNs: 20_000}).Point
	if p.Ops+p.LateOps+p.UnsentOps != 10_000 || p.ThroughputOps > 8000 || p.Actual.P50Ns > 130_000 {
		t.Errorf("%d operations, %d late, %d unsent, actual %+v", p.Ops, p.LateOps, p.UnsentOps, p.Actual)
	}
	// The warm-up leaves 200 batches due, and each batch adds 25 µs.
	if p.P50Ns < 100e6 || p.ClientLag.P50Ns < 100e6 || p.UnsentOps == 0 {
		t.Errorf("latency %+v, lag %+v, %d unsent", p.Latency, p.ClientLag, p.UnsentOps)
	}
	for _, w := range []string{
		"target rate missed", "A batch waits while its thread computes 125 µs for the one before",
	} {
		if !hasWarning(p, w) {
			t.Errorf("warnings %q, want %s", p.Warnings, w)
		}
	}
}

// TestLongComputes: a compute ends neither the warm-up nor the measurement period late.
func TestLongComputes(t *testing.T) {
	cfg := simLoad()
	cfg.RateOps, cfg.Compute = 0, 300*time.Millisecond
	p := simulate(t, cfg, &simServer{serviceNs: 1000}).Point
	if got := p.ComputeCPUNsPerOp * float64(p.Ops); got < 1e9-5000 || got > 1e9 {
		t.Errorf("%v ns of compute in a second", got)
	}
}

// TestSlowComputes: what others take from a compute is in its time. What exceeds a preemption's
// limit is no CPU time of it.
func TestSlowComputes(t *testing.T) {
	cfg := simLoad()
	cfg.RateOps, cfg.Compute = 0, 100*time.Microsecond
	for _, c := range []struct {
		stolenNs    int64
		mean, perOp float64
	}{{5000, 105_000, 105_000}, {20_000, 120_000, 120_000}, {80_000, 180_000, 100_000}} {
		p := simulate(t, cfg, &simServer{serviceNs: 1000, stolenNs: c.stolenNs}).Point
		if math.Abs(p.ComputeMeanNs-c.mean) > 50 || math.Abs(p.ComputeCPUNsPerOp-c.perOp) > 100 {
			t.Errorf("%d ns stolen: mean %v, %v ns an operation", c.stolenNs, p.ComputeMeanNs,
				p.ComputeCPUNsPerOp)
		}
		if hasWarning(p, "compute slowed: a compute took") != (c.stolenNs > 10_000) {
			t.Errorf("%d ns stolen: warnings %q", c.stolenNs, p.Warnings)
		}
	}
}

// TestComputeIsNoWork: the compute is the application's. It does not make the client full, and the
// busy share leaves it out.
func TestComputeIsNoWork(t *testing.T) {
	second := int64(time.Second)
	for _, c := range []struct {
		cpu, spun, compute int64 // of a hundred
		want               string
	}{
		{90, 0, 0, "client-bound: the client's threads used 90 %"},
		{95, 0, 80, "compute-bound: the client's threads used 95 % of their CPUs' time (limit: 85 %), 80 % for"},
		{80, 0, 70, ""},
		{95, 20, 60, ""},
		{98, 0, 10, "client-bound: the client's threads used 88 %"},
	} {
		r := &loadRun{cfg: Config{
			Load: load.Load{Compute: time.Microsecond}, Threads: 1, Duration: time.Second, CPUs: []int{3},
		}}
		s := summed{cpuNs: c.cpu * second / 100, spunNs: c.spun * second / 100}
		if c.compute > 0 {
			s.computed = computed{count: 1, cpuNs: c.compute * second / 100}
		}
		got := r.clientBound(s).Text + r.computeBound(s).Text
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%+v: found %q", c, got)
		}
	}
}

// TestOverlapPhase: before the load, the threads measure their overlap. The SETs of this phase leave
// every value as it was, as other clients may still verify it.
func TestOverlapPhase(t *testing.T) {
	for _, batch := range []int{1, 16} {
		if testing.Short() && batch == 1 {
			t.Log("a short run: no single operations")
			continue
		}
		r := newFakeRemote()
		leakFree(t, r)
		r.latency = 200 * time.Microsecond
		cfg := smallLoad(t)
		cfg.Keys, cfg.Requests = 1000, 3000 // they are soon there
		cfg.Batch, cfg.Compute, cfg.ReconnectEvery = batch, 20*time.Microsecond, 1000
		var phases []Phase
		cfg.OnProgress = func(p Progress) { phases = append(phases, p.Phase) }
		sets := 0
		cfg.OnReady = func(context.Context, float64) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			for key, value := range r.store {
				if load.ValueVersion(value) != 0 {
					t.Errorf("the value of %x has version %d", key, load.ValueVersion(value))
				}
			}
			for _, op := range r.trace {
				if op == kvs.Set {
					sets++
				}
			}
			return nil
		}
		p := mustRun(t, r, cfg).Point
		if sets <= cfg.Keys {
			t.Errorf("found %d SETs of %d keys before the load, want more", sets, cfg.Keys)
		}
		o := p.Overlap
		if o.CommNs < 200e3 || o.OverallNs < 200e3 || o.ComputeNs <= 0 || o.Percent < 0 {
			t.Errorf("found %+v with batches of 200 µs", o)
		}
		if p.ComputeMeanNs <= 0 || p.ComputeCPUNsPerOp <= 0 || p.Compute != cfg.Compute {
			t.Errorf("compute %v: mean %v, %v ns an operation", p.Compute, p.ComputeMeanNs, p.ComputeCPUNsPerOp)
		}
		at := slices.Index(phases, PhaseOverlap)
		if at < slices.Index(phases, PhaseVerify) || at > slices.Index(phases, PhaseReady) || at < 0 {
			t.Errorf("phases %q", phases)
		}
	}
}

// TestOverlapFails: a wrong answer in the overlap's phase fails the run, and a server that dies too.
func TestOverlapFails(t *testing.T) {
	for _, c := range []struct {
		fault func(f *faults, ops uint64)
		want  string
	}{
		{func(f *faults, ops uint64) { f.flipAt = ops + 100 }, "the value does not belong to this key"},
		{func(f *faults, ops uint64) { f.dieAt = ops + 100 }, errDead.Error()},
		{func(f *faults, ops uint64) { f.dropAt = ops + 100 }, "got no answer within"},
	} {
		r := newFakeRemote()
		leakFree(t, r)
		cfg := smallLoad(t)
		cfg.Compute = 20 * time.Microsecond
		cfg.OnProgress = func(p Progress) {
			if p.Phase == PhaseOverlap {
				r.mu.Lock()
				defer r.mu.Unlock()
				c.fault(&r.faults, r.stats.Ops)
			}
		}
		res := mustFail(t, r, cfg, "overlap: ", c.want)
		if res.Point.Overlap != (results.Overlap{}) && res.Point.Errors == 0 {
			t.Errorf("found %+v", res.Point.Overlap)
		}
	}
}

func TestComputeFitsTheTimeout(t *testing.T) {
	cfg := smallLoad(t)
	cfg.Timeout, cfg.Compute = time.Second, 501*time.Millisecond
	mustFail(t, newFakeRemote(), cfg,
		"compute: found 501ms, allowed: up to half the timeout, 500ms; answers wait for the end")
}
