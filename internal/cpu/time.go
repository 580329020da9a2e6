package cpu

import (
	"time"

	"golang.org/x/sys/unix"
)

var start = time.Now()

// ProcessNs is the CPU time of this process so far, user and system.
func ProcessNs() int64 { return clock(unix.CLOCK_PROCESS_CPUTIME_ID) }

// ThreadNs is the CPU time of the calling thread so far, user and system.
func ThreadNs() int64 { return clock(unix.CLOCK_THREAD_CPUTIME_ID) }

// NowNs is the time since this process started, on the monotonic clock. It makes no system call
// where the kernel offers the clock without one (vDSO).
func NowNs() int64 { return int64(time.Since(start)) }

func clock(id int32) int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(id, &t); err != nil {
		panic(err) // these clocks exist on every Linux
	}
	return t.Nano()
}

// Preempted is when two looks at the clock, a turn of a polling loop apart, have the kernel's scheduler between them: such a turn
// takes a microsecond or two, and what goes beyond was no work of this thread.
const Preempted = 50 * time.Microsecond
