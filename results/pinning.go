package results

import "dpukv/internal/cpu"

// ServerPinning is [Point.Pinning] of the server. It is empty for a server that ran already, whose
// CPUs are not known.
func (p *Point) ServerPinning() string {
	if p.IsAttached() && len(p.ServerCPUs) == 0 {
		return ""
	}
	return p.Pinning(p.ServerCPUs)
}

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
