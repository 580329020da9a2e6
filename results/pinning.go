package results

import "dpukv/internal/cpu"

// Pinning says which of these CPUs the threads of one end were pinned to. A point that failed
// may have ended before its threads were pinned, and then nothing is said.
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
