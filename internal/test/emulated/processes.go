package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// process is what a line of /proc/PID/stat tells of a process.
type process struct {
	pid, parent int
	state       string
	threads     int
	ticks       uint64 // of CPU time, of all its threads
	start       uint64 // tells it from a later process with the same pid
}

// descendants finds the processes below root, in a file system like /proc.
func descendants(proc string, root int) (below []process) {
	children := map[int][]process{}
	stats, _ := filepath.Glob(filepath.Join(proc, "[0-9]*", "stat"))
	for _, file := range stats {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the process has ended
		}
		if p, err := parseStat(string(text)); err == nil {
			children[p.parent] = append(children[p.parent], p)
		}
	}
	for todo := []int{root}; len(todo) > 0; todo = todo[1:] {
		for _, p := range children[todo[0]] {
			below = append(below, p)
			todo = append(todo, p.pid)
		}
		delete(children, todo[0]) // pids that changed hands meanwhile must not make a circle
	}
	return below
}

// parseStat reads a line of /proc/PID/stat (proc_pid_stat(5)).
func parseStat(line string) (p process, err error) {
	open, end := strings.Index(line, " ("), strings.LastIndex(line, ") ")
	if open < 0 || end < open {
		return p, fmt.Errorf("found no command in %q, want one in parentheses", line)
	}
	fields := strings.Fields(line[end+2:]) // from the third field of the manual
	if len(fields) < 20 {
		return p, fmt.Errorf("found %d fields in %q, want 20 or more", len(fields), line)
	}
	number := func(text string) uint64 {
		n, bad := strconv.ParseUint(text, 10, 64)
		if bad != nil {
			err = bad
		}
		return n
	}
	p = process{
		pid: int(number(line[:open])), state: fields[0], parent: int(number(fields[1])),
		ticks: number(fields[11]) + number(fields[12]), threads: int(number(fields[17])),
		start: number(fields[19]),
	}
	return p, err
}
