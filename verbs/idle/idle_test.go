package idle

import (
	"testing"
	"time"

	"dpukv/verbs"
)

// clock is a device, the clock, and the sleep of one test. A turn takes 100 ns.
type clock struct {
	verbs.Device
	ns, slept     int64
	waits, sleeps int
	stolen        int64 // time that each Wait takes besides, as other threads on the CPU do
}

func (c *clock) Wait(time.Duration) error {
	c.waits++
	c.ns += c.stolen
	return nil
}

func newClock(t *testing.T) *clock {
	c := &clock{ns: 1e9}
	wasNow, wasSleep := nowNs, sleep
	t.Cleanup(func() { nowNs, sleep = wasNow, wasSleep })
	nowNs = func() int64 { return c.ns }
	sleep = func(d time.Duration, _ bool) { c.sleeps++; c.slept += int64(d); c.ns += int64(d) }
	return c
}

const turnNs = 100

func (c *clock) rest(t *testing.T, i *Idle, turns int) {
	t.Helper()
	for range turns {
		c.ns += turnNs
		if err := i.Rest(c); err != nil {
			t.Fatal(err)
		}
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
		c.rest(t, i, 400)
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
			want := int64(64+test.waits*test.turns) * turnNs
			got := i.SpunNs()
			if test.stolen > 0 { // the turns in which another thread ran do not count
				if got > want {
					t.Errorf("%d ns of %d ns", got, want)
				}
			} else if off := got - want; off > want/20 || off < -want/20 {
				t.Errorf("%d ns, want %d", got, want)
			}
		})
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
