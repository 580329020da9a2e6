package clock

import (
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// ErrNoCycles is what [OpenCycles] returns where core cycles can't be counted.
var ErrNoCycles = errors.New("core cycles can't be counted here")

// Cycles counts the core cycles in user mode of the thread that opened it.
type Cycles struct{ fd int }

// OpenCycles opens a counter for the calling thread. The error wraps [ErrNoCycles] and has the
// kernel's reason. ENOENT means a machine, mostly a virtual one, without a performance monitoring
// unit. EACCES or EPERM come from the kernel.perf_event_paranoid setting.
func OpenCycles() (*Cycles, error) {
	attr := unix.PerfEventAttr{
		Type:   unix.PERF_TYPE_HARDWARE,
		Config: unix.PERF_COUNT_HW_CPU_CYCLES,
		// A pinned counter always counts, or it is an error. Other events take turns on a counter,
		// and would count too little.
		Bits: unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv | unix.PerfBitPinned,
	}
	attr.Size = unix.PERF_ATTR_SIZE_VER1
	fd, err := unix.PerfEventOpen(&attr, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("%w: perf_event_open: %w", ErrNoCycles, err)
	}
	return &Cycles{fd}, nil
}

// Read is the number of cycles so far. The error wraps [ErrNoCycles] if other programs have taken
// the counter since OpenCycles.
func (c *Cycles) Read() (uint64, error) {
	var count [8]byte
	switch n, err := unix.Read(c.fd, count[:]); {
	case err != nil:
		return 0, fmt.Errorf("read the cycle counter: %w", err)
	case n != len(count): // the kernel's sign that a pinned counter does not count
		return 0, fmt.Errorf("read the cycle counter: found %d bytes, allowed: %d: "+
			"%w", n, len(count),
			ErrNoCycles)
	}
	return binary.NativeEndian.Uint64(count[:]), nil
}

// Close frees the counter.
func (c *Cycles) Close() error { return unix.Close(c.fd) }
