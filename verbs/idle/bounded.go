package idle

import "time"

// AnswerSpin is how long a session spins for answers. It is short, because client threads on one
// CPU keep each other from receiving answers.
const AnswerSpin = 4 * time.Microsecond

// mostYield is the longest wait of a device at once.
const mostYield = time.Millisecond

// leastNaps is the number of naps that the rest of a wait has room for, before it has one: a nap
// may last twice as long as it should.
const leastNaps = 4

// Bounded is how a session waits for answers: many times, each for a limited time. It serves one
// goroutine. A policy without a Nap only spins and yields.
type Bounded struct {
	policy                 Policy
	turns                  uint
	begunNs, nowNs, seenNs int64 // 0 until the first look at the clock
	spun                   spun
}

// NewBounded returns a Bounded.
func NewBounded(policy Policy) Bounded { return Bounded{policy: policy} }

// Begin begins a wait.
func (b *Bounded) Begin() {
	b.spun.untimed()
	b.turns, b.begunNs, b.nowNs, b.seenNs = 0, 0, 0, 0
}

// Due ends a turn that found nothing. It reports whether it has looked at the clock: unless turns
// are slow, a few turns of a short wait lie between two looks.
func (b *Bounded) Due() bool {
	b.spun.recent++
	spins := b.Waited() < b.policy.Spin
	if b.turns++; b.turns%clockRate != 0 && spins && !b.policy.SlowTurns {
		return false
	}
	b.nowNs = nowNs()
	if b.begunNs == 0 { // nobody knows when the first turns began
		b.begunNs = b.nowNs
	} else if spins {
		b.spun.timed(b.nowNs - b.seenNs)
	}
	b.spun.untimed()
	b.seenNs = b.nowNs
	return true
}

// NowNs returns the time of the last look at the clock.
func (b *Bounded) NowNs() int64 { return b.nowNs }

// Waited returns how long the wait had lasted at the last look at the clock.
func (b *Bounded) Waited() time.Duration { return time.Duration(b.nowNs - b.begunNs) }

// Rest lets others have the CPU, if the session has spun for long enough. left is the rest of the
// time limit.
func (b *Bounded) Rest(device interface{ Wait(time.Duration) error }, left time.Duration) error {
	if b.Waited() < b.policy.Spin {
		return nil
	}
	naps := b.policy.Nap > 0 && b.Waited() >= b.policy.Yield && left > leastNaps*b.policy.Nap
	b.spun.begin(naps)
	err := device.Wait(min(left, mostYield))
	if naps {
		sleep(b.policy.Nap, false)
	}
	b.spun.end(naps)
	return err
}

// SpunNs returns the CPU time of all turns that found nothing, as that of [Idle].
func (b *Bounded) SpunNs() int64 { return b.spun.ns + b.spun.recent*b.spun.usual }
