package client

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"dpukv/client/load"
)

func drawPacer(t *rapid.T) Pacer {
	threads := rapid.IntRange(1, 64).Draw(t, "threads")
	return newPacer(
		math.Pow(10, rapid.Float64Range(-1, 9).Draw(t, "rate exponent")),
		rapid.IntRange(1, 256).Draw(t, "group"),
		rapid.IntRange(0, threads-1).Draw(t, "thread"),
		threads)
}

// At and Due are each other's inverse, and neither ever falls.
func TestPacerInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPacer(t)
		ns := rapid.Int64Range(0, 1e15).Draw(t, "elapsed")
		due := p.Due(ns)
		if p.At(due) <= ns {
			t.Fatalf("%d are due after %d ns, but operation %d is meant to leave at %d", due, ns, due, p.At(due))
		}
		if due > 0 && p.At(due-1) > ns {
			t.Fatalf("%d are due after %d ns, but the last one is meant to leave at %d", due, ns, p.At(due-1))
		}
		later := ns + rapid.Int64Range(0, 1e12).Draw(t, "later")
		if p.Due(later) < due {
			t.Fatalf("%d are due after %d ns, but %d after %d", due, ns, p.Due(later), later)
		}
		n := rapid.Uint64Range(0, 1e9).Draw(t, "n")
		if p.At(n+1) < p.At(n) {
			t.Fatalf("operation %d is meant to leave at %d, the next at %d", n, p.At(n), p.At(n+1))
		}
	})
}

// The long-run rate is exact: however long it runs, the error stays below a group, and what
// is due within the nanosecond that intended times are rounded to.
func TestPacerDoesNotDrift(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPacer(t)
		seconds := rapid.Int64Range(0, 1e6).Draw(t, "seconds")
		want := p.RateOps*float64(seconds) - p.OffsetNs/p.periodNs()*float64(p.Group)
		tolerance := float64(p.Group)*1.001 + p.RateOps*1e-9 + want*1e-12
		if got := float64(p.Due(seconds * 1e9)); math.Abs(got-want) > tolerance {
			t.Fatalf("%v are due after %d s, want %v", got, seconds, want)
		}
	})
}

func TestPacerGroupsShareATime(t *testing.T) {
	p := newPacer(1e6, 64, 0, 1) // a group every 64 µs
	if p.At(0) != 0 || p.At(63) != 0 || p.At(64) != 64000 || p.Due(0) != 64 || p.Due(63999) != 64 || p.Due(64000) != 128 {
		t.Errorf("%d %d %d %d %d", p.At(0), p.At(63), p.At(64), p.Due(0), p.Due(64000))
	}
}

// The threads of a load take turns, and together they have its rate.
func TestPacerStaggersThreads(t *testing.T) {
	const threads = 4
	total := uint64(0)
	for i := range threads {
		p := newPacer(1e6, 50, i, threads) // a group every 200 µs each
		if want := int64(i) * 50000; p.At(0) != want {
			t.Errorf("thread %d starts at %d, want %d", i, p.At(0), want)
		}
		if p.Due(-1) != 0 {
			t.Errorf("thread %d has operations due before the start", i)
		}
		total += p.Due(1e9 - 1)
	}
	if total != 1e6 {
		t.Errorf("%d operations in the first second, want a million", total)
	}
}

// A schedule of any rate that is allowed ends its search for what is due, and never runs backwards.
func TestPacerExtremes(t *testing.T) {
	for _, rate := range []float64{math.SmallestNonzeroFloat64, 1e-12, 1e-9, 0.1, load.MaxRateOps} {
		p := newPacer(rate, 64, 1, 2)
		for _, ns := range []int64{0, 1, 1e9, 1e13} {
			due := p.Due(ns)
			if p.At(due) <= ns || due > 0 && p.At(due-1) > ns {
				t.Errorf("rate %g: %d are due after %d ns, but operation %d is meant to leave at %d", rate, due, ns, due, p.At(due))
			}
		}
	}
}
