package neighbour

import (
	"fmt"
	"slices"

	"dpukv/internal/cpu"
)

// Machine are the CPUs of the machine of a neighbour, at one point.
type Machine struct {
	// All are the CPUs that a process may use there.
	All []int
	// Taken are those of the point's processes there, the store's included.
	Taken []int
	// Store are the CPUs of the store's workers, wherever they are.
	Store []int
	// Beside tells that the store's workers are on the same machine of the testbed.
	Beside bool
}

// CPUs returns the CPUs of a neighbour of a kind, and a warning if they are not those that the kind
// should have.
func (m *Machine) CPUs(kind string) (cpus []int, warning string) {
	if kind == CPU && m.Beside && len(m.Store) > 0 {
		return m.Store, ""
	}
	free := slices.DeleteFunc(slices.Clone(m.All), func(c int) bool {
		return slices.Contains(m.Taken, c)
	})
	if kind == CPU {
		free = free[:min(len(free), max(len(m.Store), 1))]
	}
	if len(free) > 0 {
		return free, ""
	}
	shared := slices.DeleteFunc(slices.Clone(m.Store), func(c int) bool {
		return !slices.Contains(m.All, c) || !slices.Contains(m.Taken, c)
	})
	if len(shared) == 0 {
		shared = m.All
	}
	warning = fmt.Sprintf("the neighbour %s shares CPU %s with other processes of the point: its "+
		"machine has no CPU without one, so they lose CPU time, too", kind, cpu.FormatList(shared))
	if !m.Beside {
		warning += "; this is no effect of a host on its DPU"
	}
	return shared, warning
}
