package machines

import (
	"maps"
	"slices"
	"time"

	"dpukv/placement/emulate"
	"dpukv/results"
)

// Throttling holds what the quotas of the emulated machines did up to one moment, by node.
type Throttling map[string]emulate.Throttling

// Throttling reads the counts. It is empty if no machine has a quota.
func (m *Machines) Throttling() (Throttling, error) {
	if m.Lab == nil {
		return nil, nil
	}
	return m.Lab.Throttling()
}

// WarningsSince returns a warning for each machine whose threads its quota stopped since an earlier
// moment. A real core is slow all the time. A quota stops a fast core for the rest of its period,
// which only the tail of the latency shows.
func (t Throttling) WarningsSince(before Throttling) (warnings results.Warnings) {
	for _, node := range slices.Sorted(maps.Keys(t)) {
		d := t[node].Since(before[node])
		if d.Stopped == 0 {
			continue
		}
		warnings = append(warnings, results.EmulatedTails.Warn("the CPU quota that emulates %s "+
			"stopped its threads in %d of %d periods of %v, for %v in all: p99, p99.9 and the "+
			"maximum latency show this quota, and not a DPU", node, d.Stopped, d.Periods, d.Period,
			d.For.Round(time.Millisecond)))
	}
	return warnings
}
