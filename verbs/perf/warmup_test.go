package perf

import (
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/verbs/shm"
)

// TestWarmup: the warm-up does not count, and a test with a duration has a histogram.
func TestWarmup(t *testing.T) {
	dev := must.Get(shm.Open(shm.Config{}))(t)
	defer dev.Close()
	for _, kind := range []Kind{Latency, Bandwidth} {
		cfg := Defaults(kind)
		cfg.Sizes, cfg.Warmup, cfg.Duration = []int{8}, 60*time.Millisecond, 30*time.Millisecond
		var began time.Time
		start := time.Now()
		report := must.Get(Loopback(t.Context(), dev, cfg, Observer{Began: func() { began = time.Now() }}))(t)
		p := report.Points[0]
		if began.Sub(start) < cfg.Warmup {
			t.Errorf("%s: the measurement began after %v", kind, began.Sub(start))
		}
		if kind == Latency && (p.Histogram == nil || p.Histogram.TotalCount() != int64(p.Iters) ||
			p.Latency.P999 < p.Latency.Typical) {
			t.Errorf("got %+v", p)
		}
		if kind == Bandwidth && (p.Iters == 0 || p.Bandwidth.MsgMpps == 0) {
			t.Errorf("got %+v", p)
		}
	}
}

func TestWarmupIsBounded(t *testing.T) {
	for _, d := range []time.Duration{-1, maxWarmup + 1} {
		cfg := Defaults(Latency)
		if cfg.Warmup = d; cfg.Check() == nil {
			t.Errorf("a warm-up of %v is accepted", d)
		}
	}
}
