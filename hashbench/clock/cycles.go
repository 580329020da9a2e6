package clock

import (
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// Errors of a machine where an event can't be counted.
var (
	ErrNoCycles       = errors.New("core cycles can't be counted here")
	ErrNoInstructions = errors.New("instructions can't be counted here")
)

// Events counts an event in user mode of the thread that opened it.
type Events struct {
	fd   int
	none error // ErrNoCycles or ErrNoInstructions
}

// OpenCycles opens a counter of core cycles for the calling thread. The error wraps [ErrNoCycles]
// and has the kernel's reason. ENOENT means a machine, mostly a virtual one, without a performance
// monitoring unit. EACCES or EPERM come from the kernel.perf_event_paranoid setting.
func OpenCycles() (*Events, error) {
	return open(unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_CPU_CYCLES, ErrNoCycles)
}

// OpenInstructions opens a counter of instructions in the same way.
func OpenInstructions() (*Events, error) {
	return open(unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_INSTRUCTIONS, ErrNoInstructions)
}

func open(kind uint32, event uint64, none error) (*Events, error) {
	attr := unix.PerfEventAttr{
		Type:   kind,
		Config: event,
		// A pinned counter always counts, or it is an error. Other events take turns on a counter,
		// and would count too little.
		Bits: unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv | unix.PerfBitPinned,
	}
	attr.Size = unix.PERF_ATTR_SIZE_VER1
	fd, err := unix.PerfEventOpen(&attr, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("%w: perf_event_open: %w", none, err)
	}
	return &Events{fd, none}, nil
}

// Read is the number of events so far. The error wraps that of the opening if other programs have
// taken the counter since.
func (c *Events) Read() (uint64, error) {
	var count [8]byte
	switch n, err := unix.Read(c.fd, count[:]); {
	case err != nil:
		return 0, fmt.Errorf("read a counter of events: %w", err)
	case n != len(count): // the kernel's sign that a pinned counter does not count
		return 0, fmt.Errorf("read a counter of events: found %d bytes, allowed: %d: %w", n,
			len(count), c.none)
	}
	return binary.NativeEndian.Uint64(count[:]), nil
}

// Close frees the counter.
func (c *Events) Close() error { return unix.Close(c.fd) }
