package doctor

import (
	"fmt"
	"slices"
	"strings"

	"dpukv/internal/cpu"
)

// The reason for settings without a switch in a virtual machine.
const hostDecides = "this virtual machine does not say; its host decides"

// clockSource is the folder of the kernel's clock sources, below the root.
const clockSource = "sys/devices/system/clocksource/clocksource0/"

func (p *patient) virtual() bool { return strings.Contains(p.facts.Virtualization, "hypervisor") }

// untold explains why a setting of the processor is not readable.
func (p *patient) untold(otherwise string) Finding {
	if p.virtual() {
		return unknown(hostDecides)
	}
	return unknown(otherwise)
}

func emulator(p *patient) Finding {
	if p.facts.Emulator == "" {
		return ok("none")
	}
	return spoils(p.facts.Emulator,
		"its times say nothing of the machine that is emulated: use the binary for this one")
}

func governor(p *patient) Finding {
	switch p.facts.Governor {
	case "":
		return p.untold("no frequency scaling by the kernel; the firmware decides")
	case "performance":
		return ok("performance")
	}
	return spoils(p.facts.Governor,
		"cores clock down when they have nothing to do, and the first answers after that are late",
		"echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor")
}

func turbo(p *patient) Finding {
	const effect = "the clock depends on heat and on how many cores are busy, so equal points " +
		"differ"
	for _, knob := range []struct{ path, on, off string }{
		{"sys/devices/system/cpu/intel_pstate/no_turbo", "0", "1"},
		{"sys/devices/system/cpu/cpufreq/boost", "1", "0"},
	} {
		switch p.read(knob.path) {
		case knob.on:
			return spoils("on", effect, fmt.Sprintf("echo %s | sudo tee /%s", knob.off, knob.path))
		case knob.off:
			return ok("off")
		}
	}
	if strings.HasPrefix(p.facts.Arch, "aarch64") {
		return ok("this machine has no switch for it")
	}
	return p.untold("the kernel has no switch for it here; the firmware decides")
}

func smt(p *patient) Finding {
	var shared []string
	for _, path := range p.glob("sys/devices/system/cpu/cpu[0-9]*/topology/thread_siblings_list") {
		list := p.read(path)
		if cpus, err := cpu.ParseList(list); err == nil && len(cpus) > 1 &&
			!slices.Contains(shared, list) {
			shared = append(shared, list)
		}
	}
	if shared != nil {
		return spoils(fmt.Sprintf("%d cores have several CPUs each, such as %s", len(shared),
			shared[0]),
			"what one does slows the other down, by a third and more",
			"echo off | sudo tee /sys/devices/system/cpu/smt/control")
	}
	if len(p.glob("sys/devices/system/cpu/cpu[0-9]*/topology/thread_siblings_list")) == 0 {
		return unknown("the kernel does not tell which CPUs share a core")
	}
	if p.virtual() {
		return unknown("each CPU is a core of its own, as far as this virtual machine knows; its " +
			"host decides")
	}
	return ok("each CPU is a core of its own")
}

func quota(p *patient) Finding {
	switch q := p.facts.QuotaCPUs; {
	case p.facts.Cgroup == "":
		return unknown("no control groups to be seen")
	case q == 0:
		return ok("none")
	case q >= float64(max(1, p.facts.CPUs)):
		return ok(fmt.Sprintf("%.2f CPUs, which is all of them", q))
	}
	mend := "echo max | sudo tee /sys/fs/cgroup/GROUP/cpu.max   # GROUP: cat /proc/self/cgroup"
	if p.facts.Cgroup == "v1" {
		mend = "echo -1 | sudo tee /sys/fs/cgroup/cpu/GROUP/cpu.cfs_quota_us   # GROUP: grep " +
			":cpu /proc/self/cgroup"
	}
	return spoils(fmt.Sprintf("%.2f of %d CPUs", p.facts.QuotaCPUs, p.facts.CPUs),
		"threads stop for tens of milliseconds whenever the time of a period is used up", mend)
}

// quietLoad is the load average below which a machine counts as idle.
const quietLoad = 0.3

func load(p *patient) Finding {
	l := p.facts.LoadAverage
	if len(l) == 0 {
		return unknown("/proc/loadavg cannot be read")
	}
	found := fmt.Sprintf("%.2f in the last minute", l[0])
	if l[0] < quietLoad {
		return ok(found)
	}
	return spoils(found,
		"others take CPU time, cache and memory bandwidth (a measurement that has just ended "+
			"counts too)",
		"ps -eo pcpu,pid,comm --sort=-pcpu | head   # who it is; end it, or wait")
}

// quickClocks are read without a system call.
var quickClocks = []string{"tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page"}

func clock(p *patient) Finding {
	source := p.facts.Clocksource
	switch {
	case source == "":
		return unknown("the kernel does not tell its clock source")
	case slices.Contains(quickClocks, source):
		return ok(source)
	}
	const effect = "reading the time takes a system call, and counts into every latency"
	available := strings.Fields(p.read(clockSource + "available_clocksource"))
	for _, quick := range quickClocks {
		if slices.Contains(available, quick) {
			return spoils(source, effect,
				fmt.Sprintf("echo %s | sudo tee /%scurrent_clocksource", quick, clockSource))
		}
	}
	return spoils(source, effect,
		"sudo dmesg | grep -i clocksource   # why the kernel did not trust a faster one")
}
