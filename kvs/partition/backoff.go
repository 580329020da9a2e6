package partition

import (
	"runtime"
	"time"
)

const (
	// spinsToNap is how often a reader looks at a locked bucket before it sleeps: longer than
	// the owner has it locked for an item of the usual size.
	spinsToNap = 64
	napTime    = 50 * time.Microsecond
	// maxOutrun is how many writes of its bucket may outrun one read. Each took
	// the owner as long as a whole operation; a read that loses as often is one
	// of a key that does nothing but change, and its owner can answer it.
	maxOutrun = 1 << 12
)

// readerBackoff is how a reader waits for the owner of a bucket. It starts at zero.
type readerBackoff struct{ spins, lost int }

// locked is told of a bucket that its owner is changing. The owner may have lost its CPU in the
// middle, to this very thread: a reader that only spins keeps it from going on for as long as
// the scheduler lets it, and with a real-time policy for good. So it sleeps.
func (w *readerBackoff) locked() {
	if w.spins++; w.spins%spinsToNap == 0 {
		sleep()
	}
}

// outrun is told of a read that a write made void, and reports whether that was one too many.
func (w *readerBackoff) outrun() bool {
	if w.lost++; w.lost%spinsToNap == 0 {
		runtime.Gosched()
	}
	return w.lost == maxOutrun
}

// sleep gives up the thread's CPU. Tests put other things in its place.
var sleep = func() { time.Sleep(napTime) }
