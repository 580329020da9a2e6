package main

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

// adoptOrphans makes this process the parent of descendants whose parent has ended. They are found
// and reaped here, then.
func adoptOrphans() error {
	const prSetChildSubreaper = 36 // linux/prctl.h
	_, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0)
	if errno != 0 {
		return fmt.Errorf("prctl(PR_SET_CHILD_SUBREAPER): %w", errno)
	}
	return nil
}

// killDescendants kills all descendants of this process, and waits for their ends.
func killDescendants() {
	for {
		for _, p := range descendants("/proc", os.Getpid()) {
			_ = syscall.Kill(p.pid, syscall.SIGKILL)
		}
		for {
			ended, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
			if err == syscall.ECHILD {
				return
			}
			if ended <= 0 && err != syscall.EINTR {
				break
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
}
