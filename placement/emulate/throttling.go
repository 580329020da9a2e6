package emulate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Throttling counts what a machine's quota did so far, by the kernel's cpu.stat of its group.
type Throttling struct {
	Periods uint64        // in which a process of the group ran
	Stopped uint64        // of them, those in which the kernel stopped it for want of quota
	For     time.Duration // in which processes were stopped, summed over the CPUs
	Period  time.Duration // of the quota, as the kernel has it
}

// Since returns the growth from an earlier count.
func (t Throttling) Since(before Throttling) Throttling {
	t.Periods -= min(before.Periods, t.Periods)
	t.Stopped -= min(before.Stopped, t.Stopped)
	t.For -= min(before.For, t.For)
	return t
}

// Throttling returns the counts of the machines with a quota, by name.
func (l *Lab) Throttling() (map[string]Throttling, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := map[string]Throttling{}
	for i := range l.facts.Machines {
		m := &l.facts.Machines[i]
		if m.QuotaCPUs == 0 {
			continue
		}
		file := filepath.Join(filepath.Dir(l.Held.Groups[m.Name].Procs), "cpu.stat")
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("machine %s: what its quota did: %w", m.Name, err)
		}
		t := parseThrottling(string(text))
		t.Period = time.Duration(m.PeriodNs)
		all[m.Name] = t
	}
	return all, nil
}

// parseThrottling reads cpu.stat. Version 1 has nanoseconds, version 2 microseconds.
func parseThrottling(text string) (t Throttling) {
	for line := range strings.Lines(text) {
		var name string
		var n uint64
		if fields, _ := fmt.Sscan(line, &name, &n); fields != 2 {
			continue
		}
		switch name {
		case "nr_periods":
			t.Periods = n
		case "nr_throttled":
			t.Stopped = n
		case "throttled_time":
			t.For = time.Duration(n)
		case "throttled_usec":
			t.For = time.Duration(n) * time.Microsecond
		}
	}
	return t
}
