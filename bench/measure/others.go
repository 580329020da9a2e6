package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/test/performance"
)

// others finds how many CPUs other programs used, and a hypervisor withheld, from one call to the
// next. Others are what is neither this process nor below it.
type others struct {
	at   time.Time
	all  cpu.Occupied
	ours time.Duration
}

func newOthers() *others {
	o := &others{}
	o.read()
	return o
}

func (o *others) read() {
	var cpus []int
	lines, _ := os.ReadFile("/proc/stat")
	for line := range strings.Lines(string(lines)) {
		if n, ok := strings.CutPrefix(strings.Fields(line)[0], "cpu"); ok && n != "" {
			if number, err := strconv.Atoi(n); err == nil {
				cpus = append(cpus, number)
			}
		}
	}
	*o = others{time.Now(), cpu.OccupiedBy(cpus), oursIn("/proc", os.Getpid())}
}

// since is the end of a repeat's line.
func (o *others) since() string {
	before := *o
	o.read()
	took := float64(o.at.Sub(before.at))
	used := float64(o.all.ProgramsNs-before.all.ProgramsNs) - float64(o.ours-before.ours)
	return fmt.Sprintf("\t%.2f %s\t%.2f %s", max(0, used/took), performance.OthersUnit,
		float64(o.all.StolenNs-before.all.StolenNs)/took, performance.StolenUnit)
}

// tick is the unit of proc_pid_stat(5).
const tick = 10 * time.Millisecond

// oursIn is the CPU time of a process, of what it started, and of those of them that have ended.
func oursIn(proc string, root int) time.Duration {
	stats, _ := filepath.Glob(filepath.Join(proc, "[0-9]*", "stat"))
	parents, times := map[int]int{}, map[int]time.Duration{}
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		// The name in parentheses may have blanks. After it: state, parent, …
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		const parent, user, last = 1, 11, 14 // user, system, and those of children that have ended
		if len(fields) <= last {
			continue
		}
		parents[pid], _ = strconv.Atoi(fields[parent])
		for _, f := range fields[user : last+1] {
			n, _ := strconv.Atoi(f)
			times[pid] += time.Duration(n) * tick
		}
	}
	sum := time.Duration(0)
	for pid, took := range times {
		for p := pid; p != 0; p = parents[p] {
			if p == root {
				sum += took
				break
			}
		}
	}
	return sum
}
