package rr

import (
	"fmt"
	"runtime"
	"sync"

	"dpukv/internal/cpu"

	"golang.org/x/sys/unix"
)

// processors serializes changes of GOMAXPROCS.
var processors sync.Mutex

// addProcessors lets more threads run Go at once, or fewer. A thread of this package waits in raw
// system calls and keeps its processor meanwhile.
func addProcessors(threads int) {
	processors.Lock()
	defer processors.Unlock()
	runtime.GOMAXPROCS(max(1, runtime.GOMAXPROCS(0)+threads))
}

// lockThread locks the goroutine to its thread, and pins the thread. The goroutine never unlocks
// it, so the thread ends with it.
func lockThread(on int) error {
	runtime.LockOSThread()
	if on >= 0 {
		if err := cpu.PinThread(on); err != nil {
			return err
		}
	}
	// By default the kernel may wake a sleeper 50 µs late, to save wake-ups.
	if err := unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("set the timer slack: %w", err)
	}
	return nil
}
