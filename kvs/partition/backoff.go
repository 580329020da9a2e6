package partition

import (
	"runtime"
	"time"
)

const (
	// spinsToNap is how often a reader looks at a locked bucket before it sleeps. That takes longer
	// than the owner locks a bucket for an item of the usual size.
	spinsToNap = 64
	napTime    = 50 * time.Microsecond
	// maxOutrun is how many writes of its bucket may outrun one read. Each write takes the owner as
	// long as a whole operation. A read that loses so often is for a key that changes constantly,
	// and its owner can answer it.
	maxOutrun = 1 << 12
)

// readerBackoff decides how a reader waits for the owner of a bucket. It starts at zero.
type readerBackoff struct{ spins, lost int }

// locked is called when the bucket's owner is changing it. The owner may have lost its CPU in the
// middle, to this very thread. A reader that only spins then keeps the owner from running for as
// long as the scheduler allows, and with a real-time policy forever. So the reader sleeps.
func (w *readerBackoff) locked() {
	if w.spins++; w.spins%spinsToNap == 0 {
		sleep()
	}
}

// outrun is called when a write has invalidated a read. It reports whether that was one write too
// many.
func (w *readerBackoff) outrun() bool {
	if w.lost++; w.lost%spinsToNap == 0 {
		runtime.Gosched()
	}
	return w.lost == maxOutrun
}

// sleep yields the thread's CPU. Tests replace it.
var sleep = func() { time.Sleep(napTime) }
