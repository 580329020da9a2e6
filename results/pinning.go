package results

import "dpukv/internal/cpu"

// Pinning tells which of these CPUs the threads of one end were pinned to. A failed point may have
// ended before its threads were pinned; then Pinning is empty.
func (p *Point) Pinning(cpus []int) string {
	switch {
	case len(cpus) > 1:
		return "CPUs " + cpu.FormatList(cpus)
	case len(cpus) == 1:
		return "CPU " + cpu.FormatList(cpus)
	case p.Status == StatusOK:
		return "not pinned"
	}
	return ""
}
