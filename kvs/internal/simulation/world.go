package simulation

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"testing"
	"time"
)

var (
	seeds = flag.Int("simulate.seeds", 0,
		"worlds that each simulation runs (default: its own number)")
	oneSeed = flag.Uint64("simulate.seed", 0, "the one world that each simulation runs")
)

// keptEvents is the number of events that a failure prints.
const keptEvents = 40

// World is the source of all choices in one run of a simulation. It belongs to one goroutine.
type World struct {
	*rand.Rand
	// ErrnoOneIn is the number of system calls per failure. 0: none fails.
	ErrnoOneIn int

	t      testing.TB
	seed   uint64
	now    time.Time
	steps  int
	events [keptEvents]string
	noted  int
}

// NewWorld makes a world for a single run, such as that of a fuzz target.
func NewWorld(t testing.TB, seed uint64) *World {
	return &World{
		Rand: rand.New(rand.NewPCG(seed, 0)), t: t, seed: seed,
		now: time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC),
	}
}

// Run runs a simulation in several worlds. Their seeds count from 1.
func Run(t *testing.T, worlds int, simulate func(*World)) {
	first, last := uint64(1), uint64(worlds)
	if *seeds > 0 {
		last = uint64(*seeds)
	}
	if *oneSeed > 0 {
		first, last = *oneSeed, *oneSeed
	}
	steps := 0
	for seed := first; seed <= last; seed++ {
		w := NewWorld(t, seed)
		w.run(simulate)
		steps += w.steps
	}
	t.Logf("%d steps in %d worlds", steps, last-first+1)
}

// run reports a panic like any other failure: with the seed and the events.
func (w *World) run(simulate func(*World)) {
	defer func() {
		if p := recover(); p != nil {
			w.Failf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	simulate(w)
}

// Seed returns the world's seed.
func (w *World) Seed() uint64 { return w.seed }

// TB returns the test that the world belongs to.
func (w *World) TB() testing.TB { return w.t }

// Step counts a step. A simulation calls it once for each.
func (w *World) Step() int {
	w.steps++
	return w.steps
}

// Now returns the world's time. Only [World.Pass] advances it.
func (w *World) Now() time.Time { return w.now }

// Pass advances time.
func (w *World) Pass(d time.Duration) { w.now = w.now.Add(d) }

// OneIn is true once in n times. It is never true for n = 0.
func (w *World) OneIn(n int) bool { return n > 0 && w.IntN(n) == 0 }

// Bytes draws n bytes.
func (w *World) Bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(w.Uint32())
	}
	return b
}

// Note keeps an event for the report of a failure.
func (w *World) Note(format string, args ...any) {
	w.events[w.noted%keptEvents] = fmt.Sprintf("%6d  %s  ", w.steps, w.now.Format("05.000")) +
		fmt.Sprintf(format, args...)
	w.noted++
}

// Failf ends the test. It prints how to repeat the failure, and the last events.
func (w *World) Failf(format string, args ...any) {
	w.t.Helper()
	text := fmt.Sprintf(format, args...) +
		fmt.Sprintf("\nstep %d; to repeat: -run '^%s$' -simulate.seed %d\nthe last events:\n",
			w.steps, w.t.Name(), w.seed)
	for i := max(0, w.noted-keptEvents); i < w.noted; i++ {
		text += w.events[i%keptEvents] + "\n"
	}
	w.t.Fatal(text)
}
