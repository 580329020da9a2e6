package idle

import (
	"testing"
	"time"

	"dpukv/internal/test/must"
)

// wait runs turns of one wait until it is over. A turn takes 100 ns.
func (c *clock) wait(t *testing.T, b *Bounded, limit time.Duration, mostTurns int) {
	t.Helper()
	b.Begin()
	for range mostTurns {
		c.ns += turnNs
		c.cpuNs += turnNs
		if !b.Due() {
			continue
		}
		left := limit - b.Waited()
		if left <= 0 {
			return
		}
		must.Do(t, b.Rest(c, left))
	}
}

// TestBoundedSpunNs checks the CPU time of waits against a clock that the test drives.
func TestBoundedSpunNs(t *testing.T) {
	for name, test := range map[string]struct {
		policy       Policy
		waits, turns int
		stolen       int64
		naps         bool
	}{
		"short waits":       {Policy{Spin: AnswerSpin}, 1000, 5, 0, false},
		"a long wait":       {Policy{Spin: AnswerSpin}, 1, 2000, 0, false},
		"a blocking device": {Policy{Spin: AnswerSpin}, 20, 2000, int64(50 * time.Microsecond), false},
		"naps": {
			Policy{Spin: AnswerSpin, Yield: 100 * time.Microsecond, Nap: 50 * time.Microsecond},
			20, 2000, 0, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClock(t)
			c.stolen = test.stolen
			b := NewBounded(test.policy)
			c.wait(t, &b, time.Second, 32) // the usual turn
			for range test.waits {
				c.wait(t, &b, 5*time.Millisecond, test.turns)
			}
			got := b.SpunNs()
			if off := got - c.cpuNs; off > c.cpuNs/20 || off < -c.cpuNs/20 {
				t.Errorf("%d ns, want %d", got, c.cpuNs)
			}
			if (c.sleeps > 0) != test.naps {
				t.Errorf("%d naps", c.sleeps)
			}
		})
	}
}

// TestSlowTurns: a wait of slow turns looks at the clock after each, and so ends in time.
func TestSlowTurns(t *testing.T) {
	for _, slow := range []bool{true, false} {
		c := newClock(t)
		b := NewBounded(Policy{Spin: time.Hour, SlowTurns: slow})
		b.Begin()
		looks := 0
		for range 64 {
			c.ns += turnNs
			if b.Due() {
				looks++
			}
		}
		if want := map[bool]int{true: 64, false: 64 / clockRate}[slow]; looks != want {
			t.Errorf("slow %v: %d looks at the clock in 64 turns, want %d", slow, looks, want)
		}
	}
}

// TestBoundedEnds checks that a wait ends at its limit, and that it naps only with room for it.
func TestBoundedEnds(t *testing.T) {
	c := newClock(t)
	b := NewBounded(Policy{Spin: AnswerSpin, Nap: time.Millisecond})
	begun := c.ns
	c.wait(t, &b, 2*time.Millisecond, 1<<20)
	if took := time.Duration(c.ns - begun); took > 3*time.Millisecond || c.sleeps > 0 {
		t.Errorf("took %v, with %d naps", took, c.sleeps)
	}
}
