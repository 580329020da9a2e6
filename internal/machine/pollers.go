package machine

import (
	"fmt"
	"slices"

	"dpukv/internal/cpu"
)

// CrowdedPollers says why threads that poll have no CPU each: those that they are pinned to are
// fewer, or those that the process may use, or its quota. "": each has one.
func CrowdedPollers(threads int, pinned []int) string {
	allowed, err := cpu.Allowed()
	if err != nil {
		allowed = nil
	}
	_, quota := cgroup("/")
	return crowded(threads, pinned, len(allowed), quota)
}

// crowded is CrowdedPollers with the number of CPUs that the process may use, and its quota; 0: not
// known, or no limit.
func crowded(threads int, pinned []int, allowed int, quota float64) string {
	pins := slices.Clone(pinned)
	slices.Sort(pins)
	pins = slices.Compact(pins)
	switch {
	case len(pins) > 0 && len(pins) < threads:
		return fmt.Sprintf("%d threads on CPUs %s", threads, cpu.FormatList(pins))
	case len(pins) == 0 && allowed > 0 && allowed < threads:
		return fmt.Sprintf("%d threads on %d CPUs", threads, allowed)
	case quota > 0 && quota < float64(threads):
		return fmt.Sprintf("%d threads have a quota of %.2f CPUs", threads, quota)
	}
	return ""
}
