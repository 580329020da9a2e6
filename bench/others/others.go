package others

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"dpukv/internal/cpu"
)

// Watch finds how many CPUs other programs used, and a hypervisor withheld, from one call to the
// next. Others are what is neither this process nor below it.
type Watch struct {
	cpus []int
	at   time.Time
	all  cpu.Occupied
	ours time.Duration
}

// New watches all CPUs of the machine.
func New() *Watch {
	w := &Watch{}
	lines, _ := os.ReadFile("/proc/stat")
	for line := range strings.Lines(string(lines)) {
		if n, ok := strings.CutPrefix(strings.Fields(line)[0], "cpu"); ok && n != "" {
			if number, err := strconv.Atoi(n); err == nil {
				w.cpus = append(w.cpus, number)
			}
		}
	}
	w.Restart()
	return w
}

// Restart begins a period.
func (w *Watch) Restart() {
	w.at, w.all, w.ours = time.Now(), cpu.OccupiedBy(w.cpus), oursIn("/proc", os.Getpid())
}

// Since ends a period, and begins the next.
func (w *Watch) Since() (othersCPUs, stolenCPUs float64) {
	before := *w
	w.Restart()
	took := float64(w.at.Sub(before.at))
	used := float64(w.all.ProgramsNs-before.all.ProgramsNs) - float64(w.ours-before.ours)
	return max(0, used/took), float64(w.all.StolenNs-before.all.StolenNs) / took
}

// StolenNs is the time that the hypervisor has withheld so far.
func (w *Watch) StolenNs() int64 { return cpu.OccupiedBy(w.cpus).StolenNs }

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
