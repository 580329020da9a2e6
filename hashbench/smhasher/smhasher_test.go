package smhasher

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"dpukv/hashbench"
	"dpukv/hashbench/clock"
	"dpukv/internal/cpu"
	"dpukv/internal/test/must"
)

func TestTimerOfArchitectures(t *testing.T) {
	// A BlueField-2 reports CNTFRQ_EL0 = 200 MHz. SMHasher takes its 2.5 GHz core for one of 12.8
	// GHz.
	if got, want := timerOf("arm64", "CNTVCT_EL0", 200e6), (Timer{"CNTVCT_EL0 × 64", 64, 12.8e9}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got, want := timerOf("amd64", "TSC", 3.3e9), (Timer{"TSC", 1, 3.3e9}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestFilterOutliers: like SMHasher's filter, it never keeps all values (its search ends below the
// number of values).
func TestFilterOutliers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var times []float64
	for range 1000 {
		times = append(times, 20+rng.Float64())
	}
	times = append(times, 5000, 9000)
	kept := filterOutliers(times)
	if len(kept) != 1000 || kept[len(kept)-1] > 21 {
		t.Errorf("%d of %d kept, up to %v", len(kept), len(times), kept[len(kept)-1])
	}
	if m := mean(kept); math.Abs(m-20.5) > 0.1 {
		t.Errorf("mean %v", m)
	}
}

// TestFactor: for any function, SMHasher's cycles over core cycles equal its timer's rate over the
// core's.
func TestFactor(t *testing.T) {
	if testing.Short() {
		t.Skip("measures")
	}
	timer := NewTimer()
	if timer.Name == "" {
		t.Skip("no timer is read on " + runtime.GOARCH)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	f := must.Get(hashbench.Find("md5"))(t)
	// The two are measured one after the other: at times other programs on the CPU spoil one of
	// them.
	var wrong string
	for range 20 {
		coreHz := clock.CoreHz()
		s := must.Get(Measure(f, 16, coreHz, true))(t)
		if s.Ns <= 0 || s.Timer != timer.Name || s.Bytes != 16 {
			t.Fatalf("%+v", s)
		}
		got, want := s.Factor(), timer.Hz/coreHz
		if got > 0.75*want && got < 1.25*want {
			return
		}
		wrong = fmt.Sprintf("factor %v, the timer's %v Hz over the core's %v is %v",
			got, timer.Hz, coreHz, want)
	}
	t.Error(wrong)
}

func TestRunRefusesACPU(t *testing.T) {
	if _, err := Run(context.Background(), nil, 900, 1e9, true); err == nil {
		t.Error("pinned to CPU 900")
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	allowed := must.Get(cpu.Allowed())(t)
	if _, err := Run(ctx, hashbench.All(), allowed[0], 1e9, true); err == nil {
		t.Error("went on")
	}
}
