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

// Preemptions is how often the kernel gave the calling thread's CPU to another one.
func Preemptions() int64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		panic(err) // the call exists on every Linux
	}
	return u.Nivcsw
}

// NsOf is the CPU time of another process so far, user and system, also of its threads that have
// ended. The kernel refuses a process that has ended itself.
func NsOf(pid int) (int64, error) {
	const scheduled = 2 // clock_getcpuclockid(3): CPUCLOCK_SCHED, of a process
	var t unix.Timespec
	err := unix.ClockGettime(int32(^pid<<3|scheduled), &t)
	return t.Nano(), err
}

// NowNs is the time since this process started, on the monotonic clock. It makes no system call if
// the kernel offers the clock through the vDSO.
func NowNs() int64 { return int64(time.Since(start)) }

func clock(id int32) int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(id, &t); err != nil {
		panic(err) // these clocks exist on every Linux
	}
	return t.Nano()
}

// Preempted is the limit between work and preemption in a polling loop, from one clock reading to
// the next. A turn of the loop takes a microsecond or two. A longer turn means that the kernel's
// scheduler ran in between: the excess is no work of this thread.
const Preempted = 50 * time.Microsecond
