package stream

import (
	"context"
	"errors"
	"testing"
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/offheap"
)

func config(t *testing.T, k Kernel) Config {
	t.Helper()
	cpus, err := cpu.Allowed()
	if err != nil {
		t.Fatal(err)
	}
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
		res, err := Measure(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if res.Passes < minPasses || res.Median <= 0 || res.Best < res.Median || began != 1 {
			t.Errorf("%s: got %+v, began %d times", k, res, began)
		}
		if res.ISA != ISA() || res.Pages == "" {
			t.Errorf("%s: got %+v", k, res)
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
