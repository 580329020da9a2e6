package subject

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/sys/unix"
)

// counter counts instructions in user code of the thread that opened it. It may be nil.
type counter struct{ fd int }

func openCounter() (*counter, error) {
	return openEvent(unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_INSTRUCTIONS)
}

// openEvent opens a pinned counter: others take no turns on it, so it counts all or nothing.
func openEvent(kind uint32, event uint64) (*counter, error) {
	attr := unix.PerfEventAttr{
		Type: kind, Size: unix.PERF_ATTR_SIZE_VER1, Config: event,
		Bits: unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv | unix.PerfBitPinned,
	}
	fd, err := unix.PerfEventOpen(&attr, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("no counters: perf_event_open: %w", err)
	}
	return &counter{fd}, nil
}

// read is 0 where the counter does not count.
func (c *counter) read() int64 {
	var count [8]byte
	if c == nil {
		return 0
	}
	if n, err := unix.Read(c.fd, count[:]); err != nil || n != len(count) {
		return 0
	}
	return int64(binary.NativeEndian.Uint64(count[:]))
}
