package measure

import (
	"context"
	"slices"
	"time"

	"dpukv/hashbench/clock"
	"dpukv/hashbench/result"
	"dpukv/internal/cpu"
	"dpukv/internal/sample"
)

// rate tracks the core's rate.
type rate struct {
	cycles *clock.Events // nil: they can't be counted here
	hz     []float64
}

func newRate() *rate {
	cycles, err := clock.OpenCycles()
	if err != nil {
		return &rate{} // the report says that the rate is an estimate
	}
	return &rate{cycles: cycles}
}

func (r *rate) close() {
	if r.cycles != nil {
		_ = r.cycles.Close()
	}
}

// sample reads the rate and keeps it; 0 means unknown.
func (r *rate) sample() float64 {
	hz := 0.0
	if r.cycles != nil {
		hz = r.counted()
	}
	if hz == 0 { // no counter, or one that does not count
		hz = clock.CoreHz()
	}
	r.hz = append(r.hz, hz)
	return hz
}

// counted keeps the core busy for a moment, and returns cycles over CPU time. It closes a counter
// that fails.
func (r *rate) counted() float64 {
	before, err1 := r.cycles.Read()
	start := cpu.ThreadNs()
	clock.Spin()
	after, err2 := r.cycles.Read()
	ns := cpu.ThreadNs() - start
	if err1 != nil || err2 != nil || after == before {
		r.close()
		r.cycles = nil
		return 0
	}
	return float64(after-before) / float64(ns) * 1e9
}

const (
	minWarmup      = 200 * time.Millisecond
	maxWarmup      = 3 * time.Second
	stableReadings = 3
	stableSpread   = 0.01
)

// warmUp works until the rate is stable. It returns false if the rate did not become stable.
func (r *rate) warmUp(ctx context.Context) bool {
	defer func() { r.hz = nil }()
	for start := time.Now(); time.Since(start) < maxWarmup && ctx.Err() == nil; {
		r.sample()
		if n := len(r.hz); n >= stableReadings && time.Since(start) > minWarmup {
			last := r.hz[n-stableReadings:]
			if lo, hi := slices.Min(last), slices.Max(last); hi-lo <= stableSpread*hi {
				return true
			}
		}
	}
	return false
}

// clock is the report's section on the core's clock.
func (r *rate) clock(pinned int) result.Clock {
	c := result.Clock{CPU: pinned, CoreSource: result.FromChain, Counter: clock.CounterName()}
	if r.cycles != nil {
		c.CoreSource = result.FromPerf
	}
	c.CounterHz, c.CounterSource = clock.CounterHz()
	c.CoreHz = sample.Median(r.hz)
	c.CoreMinHz, c.CoreMaxHz = slices.Min(r.hz), slices.Max(r.hz)
	return c
}
