package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// emulator is the executable of all emulated processes.
const emulator = "/usr/bin/qemu-aarch64-static"

// entry is a process of a made-up /proc.
type entry struct {
	pid, parent, threads, ticks int
	state, exe, cmdline, wchan  string
}

// write writes an entry below a folder.
func (e entry) write(t *testing.T, proc string) {
	t.Helper()
	dir := filepath.Join(proc, strconv.Itoa(e.pid))
	stat := fmt.Sprintf("%d (a) b (c) %s %d 1 1 0 -1 4194560 0 0 0 0 %d 1 0 0 20 0 %d 0 1000 0 0\n",
		e.pid, e.state, e.parent, e.ticks, e.threads)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"stat": stat, "cmdline": e.cmdline, "wchan": e.wchan} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(e.exe, filepath.Join(dir, "exe")); err != nil {
		t.Fatal(err)
	}
}

func TestHung(t *testing.T) {
	const root, parent, child, after = 10, 11, 12, 30 * time.Second
	cmdline := emulator + "\x00/tmp/a.test\x00/tmp/a.test\x00-test.short\x00"
	for _, test := range []struct {
		name   string
		change func(e *entry) // of the hung child
		later  func(e *entry) // before the second look
		passes time.Duration  // until the second look
		want   int
	}{
		{name: "a hung fork", want: child},
		{name: "with the emulator's thread", change: func(e *entry) { e.threads = 2 }, want: child},
		{name: "a silent kernel", change: func(e *entry) { e.wchan = "0" }, want: child},
		{name: "several threads", change: func(e *entry) { e.threads = 3 }},
		{name: "other command line", change: func(e *entry) { e.cmdline += "x\x00" }},
		{name: "no command line", change: func(e *entry) { e.cmdline = "" }},
		{name: "other executable", change: func(e *entry) { e.exe = "/usr/bin/qemu-arm-static" }},
		{name: "runs", change: func(e *entry) { e.state = "R" }},
		{name: "zombie", change: func(e *entry) { e.state = "Z" }},
		{name: "stopped", change: func(e *entry) { e.state = "T" }},
		{name: "sleeps elsewhere", change: func(e *entry) { e.wchan = "anon_pipe_read" }},
		{name: "orphan", change: func(e *entry) { e.parent = root }},
		{name: "of another test", change: func(e *entry) { e.parent = 1 }},
		{name: "used CPU time", later: func(e *entry) { e.ticks++ }},
		{name: "executed a program", later: func(e *entry) { e.cmdline = "ls\x00" }},
		{name: "too young", passes: after - time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			proc := t.TempDir()
			entry{root, 1, 6, 3, "S", "/tmp/emulated", "emulated\x00/tmp/a.test\x00", "0"}.write(t, proc)
			entry{parent, root, 6, 9, "S", emulator, cmdline, "futex_do_wait"}.write(t, proc)
			e := entry{child, parent, 1, 0, "S", emulator, cmdline, "futex_do_wait"}
			if test.change != nil {
				test.change(&e)
			}
			e.write(t, proc)
			w := watch{proc: proc, after: after}
			now := time.Now()
			if got := w.hung(root, now); got != 0 {
				t.Errorf("found %d at the first look", got)
			}
			if test.later != nil {
				test.later(&e)
				e.write(t, proc)
			}
			passes := after
			if test.passes != 0 {
				passes = test.passes
			}
			if got := w.hung(root, now.Add(passes)); got != test.want {
				t.Errorf("found %d, want %d", got, test.want)
			}
		})
	}
}

func TestHungNeedsAnEmulator(t *testing.T) {
	proc := t.TempDir()
	for pid := 11; pid <= 12; pid++ {
		entry{pid, pid - 1, 1, 0, "S", "/usr/bin/bash", "bash\x00", "futex_do_wait"}.write(t, proc)
	}
	w := watch{proc: proc}
	if got := w.hung(10, time.Now()); got != 0 {
		t.Errorf("found %d, want none: nothing runs under an emulator", got)
	}
}
