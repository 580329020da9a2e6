package cpu

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ParseList reads a CPU list as taskset and cpusets write it: "0", "0,2", "0-3,8".
func ParseList(s string) ([]int, error) {
	var cpus []int
	for part := range strings.SplitSeq(s, ",") {
		lo, hi, isRange := strings.Cut(part, "-")
		first, err := strconv.ParseUint(lo, 10, 10)
		last := first
		if err == nil && isRange {
			last, err = strconv.ParseUint(hi, 10, 10)
		}
		if err != nil || last < first {
			return nil, fmt.Errorf("CPU list %q: found %q, allowed: a CPU, or a range such as "+
				"0-3", s,
				part)
		}
		for c := first; c <= last; c++ {
			cpus = append(cpus, int(c))
		}
	}
	return cpus, nil
}

// FormatList writes CPUs in the format of [ParseList], ascending, with ranges: "0-3,8".
func FormatList(cpus []int) string {
	sorted := slices.Compact(slices.Sorted(slices.Values(cpus)))
	var parts []string
	for i := 0; i < len(sorted); {
		end := i
		for end+1 < len(sorted) && sorted[end+1] == sorted[end]+1 {
			end++
		}
		part := strconv.Itoa(sorted[i])
		if end > i {
			part += "-" + strconv.Itoa(sorted[end])
		}
		parts = append(parts, part)
		i = end + 1
	}
	return strings.Join(parts, ",")
}
