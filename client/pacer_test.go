package client

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"dpukv/load"
)

func drawPacer(t *rapid.T) Pacer {
	threads := rapid.IntRange(1, 64).Draw(t, "threads")
	return newPacer(
		math.Pow(10, rapid.Float64Range(-1, 9).Draw(t, "rate exponent")),
		rapid.IntRange(1, 256).Draw(t, "group"),
		rapid.IntRange(0, threads-1).Draw(t, "thread"),
		threads, rapid.Float64Range(0, 0.999).Draw(t, "phase"))
}

// TestPacerInverse: At and Due are each other's inverse, and neither ever falls.
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

// TestPacerDoesNotDrift: the long-run rate is exact. At any time the error stays below a group, and
// the operations due within the nanosecond to which intended times are rounded.
func TestPacerDoesNotDrift(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPacer(t)
		seconds := rapid.Int64Range(0, 1e6).Draw(t, "seconds")
		want := p.RateOps*float64(seconds) - p.OffsetNs/p.periodNs*float64(p.Group)
		tolerance := float64(p.Group)*1.001 + p.RateOps*1e-9 + want*1e-12
		if got := float64(p.Due(seconds * 1e9)); math.Abs(got-want) > tolerance {
			t.Fatalf("%v are due after %d s, want %v", got, seconds, want)
		}
	})
}

func TestPacerGroupsShareATime(t *testing.T) {
	p := newPacer(1e6, 64, 0, 1, 0) // a group every 64 µs
	if p.At(0) != 0 || p.At(63) != 0 || p.At(64) != 64000 || p.Due(0) != 64 || p.Due(63999) != 64 ||
		p.Due(64000) != 128 {
		t.Errorf("%d %d %d %d %d", p.At(0), p.At(63), p.At(64), p.Due(0), p.Due(64000))
	}
}

// TestPacerStaggersThreads: the threads of a load take turns, and together they have its rate.
func TestPacerStaggersThreads(t *testing.T) {
	const threads = 4
	total := uint64(0)
	for i := range threads {
		p := newPacer(1e6, 50, i, threads, 0) // a group every 200 µs each
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

// TestPacerExtremes: at any allowed rate, the search for due operations ends, and the schedule
// never runs backwards.
func TestPacerExtremes(t *testing.T) {
	for _, rate := range []float64{math.SmallestNonzeroFloat64, 1e-12, 1e-9, 0.1, load.MaxRateOps} {
		p := newPacer(rate, 64, 1, 2, 0)
		for _, ns := range []int64{0, 1, 1e9, 1e13} {
			due := p.Due(ns)
			if p.At(due) <= ns || due > 0 && p.At(due-1) > ns {
				t.Errorf("rate %g: %d are due after %d ns, but operation %d is meant to leave at %d", rate, due, ns,
					due, p.At(due))
			}
		}
	}
}

// poissonTimes returns the intended times of the first groups, in nanoseconds.
func poissonTimes(p Pacer, groups int) []float64 {
	times := make([]float64, groups)
	for i := range times {
		times[i] = float64(p.At(uint64(i * p.Group)))
	}
	return times
}

// drawPoissonPacer makes two pacers of the same process.
func drawPoissonPacer(t *rapid.T) (p, same Pacer) {
	threads := rapid.IntRange(1, 64).Draw(t, "threads")
	rate := math.Pow(10, rapid.Float64Range(-1, 9).Draw(t, "rate exponent"))
	group := rapid.IntRange(1, 256).Draw(t, "group")
	w := &load.Workload{Seed: rapid.Uint64().Draw(t, "seed")}
	thread := rapid.IntRange(0, 1000).Draw(t, "thread")
	return newRandomPacer(rate, group, threads, load.NewGaps(w.Seed, load.Poisson, thread)),
		newRandomPacer(rate, group, threads, load.NewGaps(w.Seed, load.Poisson, thread))
}

// TestPoissonPacerInverse: At and Due are each other's inverse, neither ever falls, and earlier
// queries change no answer.
func TestPoissonPacerInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, same := drawPoissonPacer(t)
		ns := int64(rapid.Float64Range(0, 2000).Draw(t, "elapsed groups") * p.periodNs)
		due := p.Due(ns)
		if due%uint64(p.Group) != 0 || p.At(due) <= ns || due > 0 && p.At(due-1) > ns {
			t.Fatalf("%d of groups of %d are due after %d ns, the next at %d", due, p.Group, ns, p.At(due))
		}
		later := p.Due(ns + rapid.Int64Range(0, int64(100*p.periodNs)).Draw(t, "later"))
		if later < due {
			t.Fatalf("%d are due after %d ns, but %d later", due, ns, later)
		}
		n := rapid.Uint64Range(0, 2000*uint64(p.Group)).Draw(t, "n")
		if p.At(n+1) < p.At(n) {
			t.Fatalf("operation %d is meant to leave at %d, the next at %d", n, p.At(n), p.At(n+1))
		}
		if again := p.Due(ns); again != due || same.Due(ns) != due || same.At(n) != p.At(n) {
			t.Fatalf("%d are due after %d ns, then %d; another pacer of the process says %d",
				due, ns, again, same.Due(ns))
		}
	})
}

// TestPoissonPacerKeepsItsRate: where n groups are expected, n ± √n arrive.
func TestPoissonPacerKeepsItsRate(t *testing.T) {
	const rate, group, threads, seconds = 1e6, 10, 4, 10
	total := 0.0
	for thread := range threads {
		p := newRandomPacer(rate, group, threads, load.NewGaps(3, load.Poisson, thread))
		total += float64(p.Due(seconds*1e9)) / group
	}
	const want = rate / group * seconds
	if sigmas := math.Abs(total-want) / math.Sqrt(want); sigmas > 4 {
		t.Errorf("%v groups arrive in %d s, %.1f sigmas from %v", total, seconds, sigmas, want)
	}
}

// TestPoissonPacerIsPoisson: the counts of arrivals in equal spans of time vary like their mean,
// for one thread and for all together. At equal distances they would hardly vary.
func TestPoissonPacerIsPoisson(t *testing.T) {
	const group, threads, spans, mean = 8, 4, 20_000, 5.0
	const rate = 1e6
	spanNs := int64(mean * group * 1e9 / rate * threads) // of one thread
	for name, members := range map[string]int{"one thread": 1, "all threads": threads} {
		counts := make([]float64, spans)
		for thread := range members {
			p := newRandomPacer(rate, group, threads, load.NewGaps(9, load.Poisson, thread))
			for i, before := 0, uint64(0); i < spans; i++ {
				due := p.Due(spanNs * int64(i+1))
				counts[i] += float64(due-before) / group
				before = due
			}
		}
		sum, squares := 0.0, 0.0
		for _, c := range counts {
			sum += c
			squares += c * c
		}
		average := sum / spans
		dispersion := (squares/spans - average*average) / average // 1 ± √(2/n) of a Poisson process
		if sigmas := math.Abs(dispersion-1) / math.Sqrt(2.0/spans); sigmas > 4 {
			t.Errorf("%s: variance over mean is %.3f, %.1f sigmas from 1", name, dispersion, sigmas)
		}
	}
}

// TestPoissonPacerGroupsShareATime: the distances between groups are those of the gaps.
func TestPoissonPacerGroupsShareATime(t *testing.T) {
	p := newRandomPacer(1e6, 64, 1, load.NewGaps(0, load.Poisson, 0))
	gaps := load.NewGaps(0, load.Poisson, 0)
	want := 0.0
	for i, ns := range poissonTimes(p, 1000) {
		want += gaps.Next() * 64_000
		if math.Abs(ns-want) > 1 || p.At(uint64(i*64+63)) != int64(ns) {
			t.Fatalf("group %d is meant to leave at %v, its last operation at %d, want %v",
				i, ns, p.At(uint64(i*64+63)), want)
		}
	}
}

// TestPoissonPacerExtremes: at any allowed rate, the search for due operations ends.
func TestPoissonPacerExtremes(t *testing.T) {
	for _, rate := range []float64{math.SmallestNonzeroFloat64, 1e-12, 1e-9, 0.1, 1e9} {
		p := newRandomPacer(rate, 64, 2, load.NewGaps(0, load.Poisson, 0))
		for _, ns := range []int64{0, 1, 1e7} {
			if due := p.Due(ns); p.At(due) <= ns || due > 0 && p.At(due-1) > ns {
				t.Errorf("rate %g: %d are due after %d ns, the next at %d", rate, due, ns, p.At(due))
			}
		}
	}
}
