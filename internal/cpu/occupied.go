package cpu

import (
	"os"
	"strconv"
	"strings"
)

// Occupied is what has had some CPUs since the machine started, in nanoseconds, as the kernel accounts for it: by ticks, where it
// does so no better, so that short times are rough. The zero value is that of CPUs of which nothing is known.
type Occupied struct {
	// ProgramsNs is the time of all programs, in their code and in the kernel, without interrupts: a packet that came in counts
	// for nobody.
	ProgramsNs int64 `json:"programs_ns"`
	// StolenNs is what a hypervisor kept from this machine while it had something to do.
	StolenNs int64 `json:"stolen_ns"`
}

// OccupiedBy reads it of some CPUs of this machine; of none it is zero, too.
func OccupiedBy(cpus []int) Occupied {
	if len(cpus) == 0 {
		return Occupied{}
	}
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return Occupied{}
	}
	return parseStat(string(text), cpus)
}

// tickNs is the unit of /proc/stat, USER_HZ, which is the same on all machines that Go runs on.
const tickNs = 10_000_000

// parseStat adds up lines of proc_stat(5): cpuN user nice system idle iowait irq softirq steal, then guests, which user has, too.
func parseStat(text string, cpus []int) (o Occupied) {
	const user, nice, system, steal, fields = 1, 2, 3, 8, 9
	lines := make(map[string][]string)
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) >= fields && strings.HasPrefix(f[0], "cpu") {
			lines[f[0]] = f
		}
	}
	for _, c := range cpus {
		f := lines["cpu"+strconv.Itoa(c)]
		if f == nil {
			return Occupied{} // it has been taken away, or is hidden from here
		}
		for _, at := range []int{user, nice, system} {
			o.ProgramsNs += ticks(f[at])
		}
		o.StolenNs += ticks(f[steal])
	}
	return o
}

func ticks(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return n * tickNs
}
