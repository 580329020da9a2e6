package idle

import (
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/verbs"
)

// clock is a device, the clock, and the sleep of one test. It has the CPU time of all
// that the test does.
type clock struct {
	verbs.Device
	ns, slept     int64
	waits, sleeps int
	cpuNs         int64 // of this thread
	stolen        int64 // time that each Wait takes besides, as other threads on the CPU do
}

func (c *clock) Wait(time.Duration) error {
	c.waits++
	c.ns += waitNs + c.stolen
	c.cpuNs += waitNs
	return nil
}

func newClock(t *testing.T) *clock {
	c := &clock{ns: 1e9}
	wasNow, wasThread, wasSleep := nowNs, threadNs, sleep
	t.Cleanup(func() { nowNs, threadNs, sleep = wasNow, wasThread, wasSleep })
	nowNs = func() int64 { return c.ns }
	threadNs = func() int64 { return c.cpuNs }
	sleep = func(d time.Duration, _ bool) {
		c.sleeps++
		c.slept += int64(d)
		c.ns += int64(d)
		c.cpuNs += napNs
	}
	return c
}

const (
	turnNs = 100  // of a turn without a wait
	waitNs = 400  // CPU time of a yield
	napNs  = 3000 // CPU time of a sleep
)

func (c *clock) rest(t *testing.T, i *Idle, turns int) {
	t.Helper()
	for range turns {
		c.ns += turnNs
		c.cpuNs += turnNs
		must.Do(t, i.Rest(c))
	}
}

var testPolicy = Policy{Spin: 10 * time.Microsecond, Yield: 100 * time.Microsecond, Nap: time.Millisecond}

// TestPhases checks the order of spinning, yielding and sleeping, and that a find begins anew.
func TestPhases(t *testing.T) {
	c := newClock(t)
	i := New(testPolicy, true)
	for range 2 {
		c.waits, c.sleeps = 0, 0
		c.rest(t, i, 100)
		if c.waits != 0 || c.sleeps != 0 {
			t.Fatalf("in the first 10 µs: %d yields, %d sleeps", c.waits, c.sleeps)
		}
		c.rest(t, i, 150)
		if c.waits == 0 || c.sleeps != 0 {
			t.Fatalf("in the first 100 µs: %d yields, %d sleeps", c.waits, c.sleeps)
		}
		c.rest(t, i, 1000)
		if c.sleeps < 400 {
			t.Fatalf("after 100 µs: %d sleeps", c.sleeps)
		}
		i.Reset()
	}
}

// TestSpunNs checks the time of turns against a clock that the test drives.
func TestSpunNs(t *testing.T) {
	for _, test := range []struct {
		name         string
		waits, turns int
		stolen       int64
	}{
		{"one long wait", 1, 3000, 0},
		{"spinning only", 1, 90, 0},
		{"many short waits", 1000, 5, 0},
		{"another thread on the CPU", 1, 800, int64(time.Millisecond)},
		{"another thread for a moment", 1, 800, 2000},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newClock(t)
			c.stolen = test.stolen
			i := New(testPolicy, true)
			c.rest(t, i, 64) // the mean turn of short waits
			i.Reset()
			for range test.waits {
				c.rest(t, i, test.turns)
				i.Reset()
			}
			want, got := c.cpuNs, i.SpunNs()
			if off := got - want; off > want/20 || off < -want/20 {
				t.Errorf("%d ns, want %d", got, want)
			}
		})
	}
}

// TestSpunNsOfYears checks that the sum never falls, and has room for years of short waits.
func TestSpunNsOfYears(t *testing.T) {
	c := newClock(t)
	i := New(testPolicy, true)
	c.rest(t, i, 64)
	last := int64(0)
	for range 1000 {
		i.spun.recent += 1e12
		i.Reset()
		c.rest(t, i, 5)
		if now := i.SpunNs(); now < last {
			t.Fatalf("%d ns after %d", now, last)
		} else {
			last = now
		}
	}
	if want := int64(1000 * 1e12 * turnNs); last < want {
		t.Errorf("%d ns, want %d", last, want)
	}
}

// TestWaits holds the names of the ways of waiting.
func TestWaits(t *testing.T) {
	for _, test := range []struct {
		wait Wait
		naps bool
	}{{"", false}, {Poll, false}, {Nap, true}} {
		p, err := test.wait.Policy()
		if err != nil || (p.MostNap > 0) != test.naps {
			t.Errorf("%q: %+v, %v", test.wait, p, err)
		}
	}
	if _, err := Wait("sleep").Policy(); err == nil {
		t.Error("sleep: no error")
	}
}

// TestNapsFollowLoad checks that naps grow while nothing comes, keep their length over a find, and
// shrink under load.
func TestNapsFollowLoad(t *testing.T) {
	c := newClock(t)
	i := New(Policy{Nap: 25 * time.Microsecond, MostNap: 100 * time.Microsecond}, true)
	nap := func(awakeNs int64) int64 {
		i.Reset()
		c.ns += awakeNs
		before := c.slept
		for c.slept == before {
			c.rest(t, i, 1)
		}
		if !i.Slept() {
			t.Error("a nap was not one")
		}
		return c.slept - before
	}
	for n, step := range []struct{ awakeNs, wantNs int64 }{
		{1000, 25_000},
		{1000, 50_000},
		{1000, 100_000},
		{1000, 100_000},
		{40_000, 100_000},
		{200_000, 50_000},
		{20_000, 50_000},
		{200_000, 25_000},
		{200_000, 25_000},
	} {
		if got := nap(step.awakeNs); got != step.wantNs {
			t.Errorf("nap %d, after %d ns awake: %d ns, want %d", n, step.awakeNs, got, step.wantNs)
		}
	}
}

// TestNap checks that both kinds of sleep last at least as long as asked for, unless a signal ends
// them.
func TestNap(t *testing.T) {
	const length = 2 * time.Millisecond
	for _, pinned := range []bool{false, true} {
		slept := false
		for try := 0; try < 10 && !slept; try++ {
			begun := time.Now()
			nap(length, pinned)
			slept = time.Since(begun) >= length
		}
		if !slept {
			t.Errorf("pinned=%v: 10 naps of %v were shorter", pinned, length)
		}
	}
}
