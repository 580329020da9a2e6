package idle

import (
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"dpukv/internal/cpu"
	"dpukv/verbs"

	"golang.org/x/sys/unix"
)

// Tests have another clock.
var (
	nowNs    = cpu.NowNs
	threadNs = cpu.ThreadNs
	sleep    = nap
)

// nap is not time.Sleep. The runtime would wake a goroutine that is locked to its thread by way of
// another thread. The runtime does not learn of a pinned goroutine's nap: it would look
// for other work every 20 µs, at twice the CPU time of the naps. Its signals end a nap early.
func nap(d time.Duration, pinned bool) {
	left := unix.NsecToTimespec(int64(d))
	if pinned {
		_, _, _ = unix.RawSyscall(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&left)), 0, 0)
		return
	}
	_ = unix.Nanosleep(&left, nil) // a signal ends it early, which does no harm
}

// clockRate is the number of turns per look at the clock.
const clockRate = 16

// Policy says how long a poller that finds nothing spins, how long after its last find it stops
// yielding, and how long it then sleeps at each turn. With a MostNap, naps grow up to that while
// the poller is awake for little of its time, and shrink to Nap while it is awake for most of it.
type Policy struct {
	Spin, Yield, Nap, MostNap time.Duration
	// SlowTurns tells that a turn takes far longer than a look at the clock, as one with a system
	// call does: then each turn of a [Bounded] wait looks.
	SlowTurns bool
}

// littleAwake is the ratio of a nap to the time awake after it above which the next nap doubles. A
// nap halves if the time awake after it was longer.
const littleAwake = 4

// Wait is how a thread of a half waits for messages.
type Wait string

// These are the ways.
const (
	// Poll answers at once. A thread that has a CPU for itself takes all of its time.
	Poll Wait = "poll"
	// Nap soon sleeps. The latency is worse by about a sleep at low load, and the CPU time is that
	// of the work and of waking up.
	Nap Wait = "nap"
)

// Policy returns the policy of a way. "" stands for Poll.
func (w Wait) Policy() (Policy, error) {
	switch w {
	case Poll, "":
		return Policy{
			Spin: 2 * time.Microsecond, Yield: 200 * time.Millisecond, Nap: 50 * time.Microsecond,
		}, nil
	case Nap:
		return Policy{
			Spin: 2 * time.Microsecond, Nap: 50 * time.Microsecond, MostNap: 100 * time.Microsecond,
		}, nil
	}
	return Policy{}, fmt.Errorf("wait: found %q, allowed: %s, %s", verbs.Printable(string(w)), Poll,
		Nap)
}

// Default keeps a poller from sleeping under a load of even a few operations per second, so that no
// latency includes a sleep.
var Default = Policy{
	Spin: 20 * time.Microsecond, Yield: 200 * time.Millisecond, Nap: 100 * time.Microsecond,
}

// Idle tracks how long a poller has found nothing. It serves one goroutine.
type Idle struct {
	policy  Policy
	pinned  bool
	turns   uint
	sinceNs int64
	forNs   int64
	seenNs  int64 // end of the accounted time
	slept   bool  // in the last turn
	napNs   int64 // of the next sleep
	wokeNs  int64 // from the last one
	spun    spun
}

// New returns an Idle. pinned: the goroutine has its thread and its CPU to itself.
func New(policy Policy, pinned bool) *Idle {
	return &Idle{policy: policy, pinned: pinned, napNs: int64(policy.Nap)}
}

// Reset ends the wait: the poller has found something.
func (i *Idle) Reset() {
	if i.turns == 0 {
		return
	}
	i.spun.untimed()
	i.turns, i.sinceNs, i.forNs, i.seenNs = 0, 0, 0, 0
}

// Rest spends a turn that found nothing.
func (i *Idle) Rest(device interface{ Wait(time.Duration) error }) error {
	i.slept = false
	i.spun.recent++
	if i.turns++; i.turns%clockRate == 0 || i.forNs > int64(i.policy.Spin) {
		i.look()
	}
	if i.forNs <= int64(i.policy.Spin) {
		return nil
	}
	i.slept = i.forNs > int64(i.policy.Yield)
	i.spun.begin(i.slept)
	switch {
	case i.slept:
		i.nap()
	case !i.pinned:
		runtime.Gosched() // a pinned goroutine has its thread to itself, and shares only its CPU
	}
	err := device.Wait(0)
	i.spun.end(i.slept)
	return err
}

// nap sleeps.
func (i *Idle) nap() {
	if i.policy.MostNap > 0 && i.wokeNs > 0 {
		i.napNs = i.policy.next(i.napNs, i.seenNs-i.wokeNs)
	}
	sleep(time.Duration(i.napNs), i.pinned)
	i.wokeNs = nowNs()
	i.seenNs = i.wokeNs
}

// next returns the length of the nap after one, by the time awake since.
func (p *Policy) next(napNs, awakeNs int64) int64 {
	switch {
	case awakeNs*littleAwake < napNs:
		return min(2*napNs, int64(p.MostNap))
	case awakeNs > napNs:
		return max(napNs/2, int64(p.Nap))
	}
	return napNs
}

// Slept reports whether the last Rest slept.
func (i *Idle) Slept() bool { return i.slept }

// look looks at the clock, and accounts the turns since the last look.
func (i *Idle) look() {
	now := nowNs()
	if i.sinceNs == 0 { // nobody knows when the first turns began
		i.sinceNs = now
	} else if i.forNs <= int64(i.policy.Spin) {
		i.spun.timed(now - i.seenNs)
	}
	i.spun.untimed()
	i.forNs, i.seenNs = now-i.sinceNs, now
}

// SpunNs returns the CPU time of all turns that found nothing: see [spun].
func (i *Idle) SpunNs() int64 { return i.spun.ns + i.spun.recent*i.spun.usual }
