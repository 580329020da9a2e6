package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// forkThreads is the most threads that a fork of the emulator has before it executes a program: its
// own, and call_rcu of the emulator.
const forkThreads = 2

// watch finds descendants that hang in a fork of the emulator.
type watch struct {
	proc  string // a file system like /proc
	after time.Duration
	idle  map[process]time.Time // forks, and when each was first seen with this CPU time
}

// hung returns a descendant of root that hangs in a fork, or 0.
func (w *watch) hung(root int, now time.Time) (pid int) {
	idle := map[process]time.Time{}
	for _, p := range descendants(w.proc, root) {
		if !w.inFork(p) {
			continue
		}
		since, seen := w.idle[p]
		if !seen {
			since = now
		}
		idle[p] = since
		if now.Sub(since) >= w.after {
			pid = p.pid
		}
	}
	w.idle = idle
	return pid
}

// inFork reports whether a process looks like a fork of the emulator that sleeps before it executes
// a program.
func (w *watch) inFork(p process) bool {
	if p.state != "S" || p.threads > forkThreads {
		return false
	}
	exe := w.executable(p.pid)
	if !strings.HasPrefix(filepath.Base(exe), "qemu-") || exe != w.executable(p.parent) {
		return false
	}
	arguments := w.text(p.pid, "cmdline")
	return arguments != "" && arguments == w.text(p.parent, "cmdline") && w.mayWaitForLock(p.pid)
}

// mayWaitForLock reports whether a process sleeps in a futex. It is true also where the kernel does
// not tell: the file is missing, empty or "0".
func (w *watch) mayWaitForLock(pid int) bool {
	where := w.text(pid, "wchan")
	return where == "" || where == "0" || strings.HasPrefix(where, "futex_")
}

// executable is the path of a process's executable, or "" if it is unknown.
func (w *watch) executable(pid int) string {
	path, _ := os.Readlink(filepath.Join(w.proc, strconv.Itoa(pid), "exe"))
	return path
}

// text is a file of a process, or "" if it can't be read.
func (w *watch) text(pid int, file string) string {
	text, _ := os.ReadFile(filepath.Join(w.proc, strconv.Itoa(pid), file))
	return string(text)
}
