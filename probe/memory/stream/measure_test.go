package stream

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/offheap"
	"dpukv/internal/test/must"
)

func config(t *testing.T, k Kernel) Config {
	t.Helper()
	cpus := must.Get(cpu.Allowed())(t)
	return Config{
		Kernel: k, Code: Vector, ArrayBytes: 1 << 16, CPUs: cpus, Pages: offheap.Small,
		Duration: time.Millisecond,
	}
}

// TestMeasure: all threads make all passes, and tell what they used.
func TestMeasure(t *testing.T) {
	for _, k := range Kernels() {
		began := 0
		c := config(t, Kernel(k))
		c.Began = func() { began++ }
		res := must.Get(Measure(t.Context(), c))(t)
		if res.Passes < minPasses || res.Median <= 0 || res.Best < res.Median || began != 1 {
			t.Errorf("%s: got %+v, began %d times", k, res, began)
		}
		if res.ISA != ISA() || res.Pages == "" || res.ArrayBytes != 1<<16 {
			t.Errorf("%s: got %+v", k, res)
		}
		if !strings.Contains(fmt.Sprint(res.Warnings), "cache") {
			t.Errorf("%s: got %q about arrays that lie in a cache", k, res.Warnings)
		}
	}
}

func TestMeasureIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := config(t, Triad)
	c.Duration, c.Began = time.Hour, cancel
	if _, err := Measure(ctx, c); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestMeasureOnNoCPU(t *testing.T) {
	c := config(t, Copy)
	c.CPUs = []int{1 << 12}
	if _, err := Measure(t.Context(), c); err == nil {
		t.Error("a thread ran on a CPU that is not there")
	}
}

// TestMeasureRefuses: what can't be measured is told before a thread starts.
func TestMeasureRefuses(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"array_bytes: found 7":     func(c *Config) { c.ArrayBytes = 7 },
		"CPUs of STREAM: found":    func(c *Config) { c.CPUs = nil },
		`kernel: found "quad"`:     func(c *Config) { c.Kernel = "quad" },
		`code: found "fast", allo`: func(c *Config) { c.Code = "fast" },
	} {
		c := config(t, Copy)
		change(&c)
		if _, err := Measure(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// TestCheckFindsAWrongElement: a pass that misses an element fails the measurement.
func TestCheckFindsAWrongElement(t *testing.T) {
	c := config(t, Scale)
	l := *vectorLoops()
	l.scale = func(dst, x, y *float64, k float64, n int) { goLoops.scale(dst, x, y, k, n-1) }
	g := gang{config: &c, loops: &l, n: 100, parts: make([]part, 1)}
	g.ready.Add(1)
	c.CPUs = c.CPUs[:1]
	done := make(chan error)
	go func() { done <- g.work(t.Context(), 0) }()
	if err := <-done; err == nil || !strings.Contains(err.Error(), "in element 99, allowed: 2, 12, 4") {
		t.Errorf("got %v", err)
	}
}
