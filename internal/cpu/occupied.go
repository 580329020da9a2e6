package cpu

import (
	"os"
	"strconv"
	"strings"
)

// Occupied is the used time of some CPUs since the machine started, in nanoseconds, by the kernel's
// accounting. Kernels without better accounting count ticks, so short times are rough. The zero
// value stands for unknown CPUs.
type Occupied struct {
	// ProgramsNs is the time of all programs, in user code and in the kernel. Interrupts are left
	// out: an incoming packet counts for no program.
	ProgramsNs int64 `json:"programs_ns"`
	// InterruptsNs is the time of interrupts, the kernel's deferred work for them (softirq)
	// included.
	InterruptsNs int64 `json:"interrupts_ns"`
	// StolenNs is the time that a hypervisor withheld from this machine while the machine had work.
	StolenNs int64 `json:"stolen_ns"`
}

// OccupiedBy reads the used time of some CPUs of this machine. For no CPUs it is zero, too.
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

// tickNs is the unit of /proc/stat, USER_HZ. It is the same on all machines that Go runs on.
const tickNs = 10_000_000

// parseStat adds up lines of proc_stat(5): cpuN user nice system idle iowait irq softirq steal,
// then guests. The user column includes guests, too.
func parseStat(text string, cpus []int) (o Occupied) {
	const user, nice, system, irq, softirq, steal, fields = 1, 2, 3, 6, 7, 8, 9
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
		o.InterruptsNs += ticks(f[irq]) + ticks(f[softirq])
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
