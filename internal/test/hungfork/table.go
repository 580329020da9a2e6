package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is a process of the table, with its parent's program.
type process struct {
	pid, parent int
	program     string // executable and command line
	ofParent    string
	threads     int
	asleep      bool
	ticks       string // CPU time, user and system
}

// table reads processes from a folder like /proc.
type table struct{ proc string }

// below returns the descendants of a process.
func (t *table) below(root int) (found []process) {
	program := map[int]string{root: t.program(root)}
	all := t.all()
	for grew := true; grew; { // a child may come before its parent
		grew = false
		for _, p := range all {
			ofParent, known := program[p.parent]
			if _, seen := program[p.pid]; seen || !known {
				continue
			}
			p.program, p.ofParent = t.program(p.pid), ofParent
			program[p.pid] = p.program
			found = append(found, p)
			grew = true
		}
	}
	return found
}

// all returns all processes, without their programs.
func (t *table) all() (list []process) {
	files, _ := filepath.Glob(filepath.Join(t.proc, "[0-9]*", "stat"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		_, rest, ok := strings.Cut(string(text), ") ") // behind the name, which may have spaces
		for ok && strings.Contains(rest, ") ") {
			_, rest, _ = strings.Cut(rest, ") ")
		}
		f := strings.Fields(rest) // from field 3 of proc_pid_stat(5) on
		if err != nil || len(f) < 18 {
			continue
		}
		p := process{pid: pid, asleep: f[0] == "S", ticks: f[11] + "+" + f[12]}
		p.parent, _ = strconv.Atoi(f[1])
		p.threads, _ = strconv.Atoi(f[17])
		list = append(list, p)
	}
	return list
}

// program returns the executable and the command line of a process. "" if it can't be read.
func (t *table) program(pid int) string {
	dir := filepath.Join(t.proc, strconv.Itoa(pid))
	exe, err := os.Readlink(filepath.Join(dir, "exe"))
	if err != nil {
		return ""
	}
	line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
	if err != nil || len(line) == 0 {
		return ""
	}
	return fmt.Sprintf("%s %q", exe, line)
}

// kill kills a process and its descendants.
func (t *table) kill(root int) {
	pids := []int{root}
	for _, p := range t.below(root) {
		pids = append(pids, p.pid)
	}
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
	}
}

// forkThreads is the most threads of a forked child: its own, and one that the emulator adds.
const forkThreads = 2

// forked reports whether the process may be a child that has not begun a program.
func (p *process) forked() bool {
	return p.program != "" && p.program == p.ofParent && p.threads <= forkThreads && p.asleep
}

// watch remembers when it first saw each forked child as it is now.
type watch struct {
	limit time.Duration
	since map[int]sighting
}

type sighting struct {
	at    time.Time
	ticks string
}

// look returns a child that is hung, or 0.
func (w *watch) look(list []process, now time.Time) int {
	next := map[int]sighting{}
	for i := range list {
		p := &list[i]
		if !p.forked() {
			continue
		}
		s, seen := w.since[p.pid]
		if !seen || s.ticks != p.ticks {
			s = sighting{now, p.ticks}
		}
		if now.Sub(s.at) >= w.limit {
			return p.pid
		}
		next[p.pid] = s
	}
	w.since = next
	return 0
}
