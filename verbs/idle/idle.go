package idle

import (
	"runtime"
	"time"

	"dpukv/internal/cpu"
	"dpukv/verbs"

	"golang.org/x/sys/unix"
)

// Policy says for how long a thread without work spins and yields, counted from the last work, and
// how long each sleep after that is.
type Policy struct {
	Spin, Yield, Sleep time.Duration
	// Pinned threads have their CPU's turn to themselves: a yield in the Go runtime is no use.
	Pinned bool
}

// Napping sleeps soon: its latency is worse by about a sleep at low load, and its CPU time is that
// of its work. The kernel adds a thread's timer slack to each sleep: see [ShortSleeps].
var Napping = Policy{Spin: 10 * time.Microsecond, Yield: 0, Sleep: 20 * time.Microsecond}

// clockRate is the number of turns per look at the clock.
const clockRate = 16

// Thread tracks how long a thread has found nothing. It belongs to that thread.
type Thread struct {
	Policy Policy

	turns   uint
	sinceNs int64 // of the first look at the clock without work
	forNs   int64
	seenNs  int64 // until when spunNs is counted
	spunNs  int64
}

// Worked begins anew: the thread has found work.
func (t *Thread) Worked() {
	if t.sinceNs != 0 {
		t.account(cpu.NowNs())
	}
	t.turns, t.sinceNs, t.forNs = 0, 0, 0
}

// SpunNs is the time that the thread has polled without finding work, apart from sleeps and from
// times in which another thread had the CPU.
func (t *Thread) SpunNs() int64 { return t.spunNs }

func (t *Thread) account(now int64) {
	if turn := now - t.seenNs; turn < int64(cpu.Preempted) {
		t.spunNs += turn
	}
	t.seenNs = now
}

// Rest spends a turn that found nothing. A software device may receive in the meantime.
func (t *Thread) Rest(device verbs.Device) error {
	if t.turns++; t.turns%clockRate == 0 || t.forNs > int64(t.Policy.Spin) {
		now := cpu.NowNs()
		if t.sinceNs == 0 {
			t.sinceNs, t.seenNs = now, now
		}
		t.account(now)
		t.forNs = now - t.sinceNs
	}
	switch {
	case t.forNs <= int64(t.Policy.Spin):
		return nil
	case t.forNs > int64(t.Policy.Spin+t.Policy.Yield):
		// Not time.Sleep: the runtime would wake a goroutine that is locked to its thread by way of
		// another thread.
		nap := unix.NsecToTimespec(int64(t.Policy.Sleep))
		_ = unix.Nanosleep(&nap, nil) // a signal ends it early, which does no harm
		t.seenNs = cpu.NowNs()
		return nil
	case !t.Policy.Pinned:
		runtime.Gosched()
	}
	return device.Wait(0)
}

// ShortSleeps lets the calling thread wake up when its sleep is over. The kernel's default may add
// 50 µs, to wake several threads at once.
func ShortSleeps() { _ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) } // a longer sleep does no harm
