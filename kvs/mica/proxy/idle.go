package proxy

import (
	"runtime"
	"time"

	"dpukv/internal/cpu"
	"dpukv/verbs"

	"golang.org/x/sys/unix"
)

// A pump that finds nothing spins, then yields its CPU in each turn, then naps. A load of even a
// few requests per second keeps it from napping, so that no latency includes a nap.
const (
	spinFor   = 20 * time.Microsecond
	yieldFor  = 200 * time.Millisecond
	napFor    = 100 * time.Microsecond
	clockRate = 16 // turns per look at the clock
)

// idleness tracks how long a pump has found nothing.
type idleness struct {
	device          verbs.Device // nil in tests
	pinned          bool
	turns           uint
	sinceNs, seenNs int64 // 0: not looked at the clock
	forNs           int64
}

func (i *idleness) reset() { i.turns, i.sinceNs, i.forNs = 0, 0, 0 }

// nap returns how long the next turn may wait for events.
func (i *idleness) nap() time.Duration {
	if i.forNs > int64(yieldFor) {
		return napFor
	}
	return 0
}

// rest spends a turn that found nothing. It returns the time since the last look at the clock that
// went into turns.
func (i *idleness) rest() (spunNs int64, err error) {
	if i.turns++; i.turns%clockRate == 0 || i.forNs > int64(spinFor) {
		spunNs = i.look()
	}
	switch {
	case i.forNs <= int64(spinFor):
		return spunNs, nil
	case i.device != nil:
		err = i.device.Wait(0)
	default:
		_, _, _ = unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0) // it has no errors
	}
	if !i.pinned {
		runtime.Gosched() // a pinned goroutine has its thread to itself, and shares only its CPU
	}
	return spunNs, err
}

// look reads the clock. Naps and the time of other threads are not spun.
func (i *idleness) look() (spunNs int64) {
	now := cpu.NowNs()
	if i.sinceNs == 0 {
		i.sinceNs, i.seenNs = now, now
	}
	if turn := now - i.seenNs; i.nap() == 0 && turn < int64(cpu.Preempted) {
		spunNs = turn
	}
	i.seenNs, i.forNs = now, now-i.sinceNs
	return spunNs
}
