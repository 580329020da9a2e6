package trial

import (
	"fmt"
	"slices"

	"dpukv/placement/neighbour"
	"dpukv/placement/process"
	"dpukv/results"
)

// assignCPUs divides the CPUs, and gives emulated machines their CPU time.
func (t *trial) assignCPUs() (warnings results.Warnings, err error) {
	list := t.all.processes()
	for _, p := range list {
		if p.Threads == 0 {
			p.Threads = p.MostThreads()
		}
		if p.Role == process.Server && t.pt.Attach != "" {
			p.Threads = 1 // the process here only watches the server
		}
	}
	process.Divide(list)
	weak, err := t.strengthen(list)
	return append(process.Warnings(list), weak...), err
}

// strengthen gives each emulated machine the CPU time of as many cores as it runs threads.
func (t *trial) strengthen(list []*process.Process) (warnings results.Warnings, err error) {
	threads, cpus := map[string]int{}, map[string][]int{}
	for _, p := range list {
		name := p.Node.Name
		threads[name] += p.Threads
		cpus[name] = append(cpus[name], p.CPUs...)
		// of several processes there, the last call counts
		quota, err := t.b.Machines.Strength(p.Node, threads[name])
		if err != nil {
			return nil, fmt.Errorf("node %s: %w", name, err)
		}
		slices.Sort(cpus[name])
		have := len(slices.Compact(slices.Clone(cpus[name])))
		warnings = append(warnings, tooFewCPUs(name, threads[name], quota, have)...)
	}
	return warnings, nil
}

// wholeShare is the share of its CPUs from which a quota slows nothing down that could be measured.
const wholeShare = 0.95

// tooFewCPUs returns a warning if the quota of an emulated machine leaves its threads all of the
// CPUs that carry them. A quota of 0 is none.
func tooFewCPUs(name string, threads int, quota float64, have int) results.Warnings {
	switch {
	case quota > float64(have):
		return results.Warnings{results.Emulation.Warn("node %s is weaker than its model: %d "+
			"threads are to have the time of %.2f CPUs, and it runs on %d", name, threads, quota,
			have)}
	case quota >= wholeShare*float64(have) && quota > 0:
		return results.Warnings{results.Emulation.Warn("node %s: %d threads × strength %.2f = "+
			"%.2f CPUs, and %d carry them: the emulated DPU is as fast as its host here", name,
			threads, quota/float64(threads), quota, have)}
	}
	return nil
}

// placeNeighbour chooses the CPUs of the neighbour, once the server has told its own.
func (s *storing) placeNeighbour() results.Warnings {
	by := s.t.all.neighbour
	if by == nil {
		return nil
	}
	rival, beside := s.t.all.itemsAt(), by.place.Node.Name
	if rival.place.Node.Name != beside && s.t.all.first().place.Node.Name == beside {
		rival = s.t.all.first() // the engine of a store on the DPU
	}
	on := neighbour.Machine{
		All: by.place.Node.CPUs, Store: s.workCPUs(rival),
		Beside: rival.place.Node.Name == beside,
	}
	if on.All == nil {
		on.All = process.Spread(by.place.Cores)
	}
	for _, o := range s.t.all.members {
		if by.sameKernel(o) {
			on.Taken = append(on.Taken, s.workCPUs(o)...)
		}
	}
	if by.place.Node.OnThisMachine() {
		on.Taken = append(on.Taken, s.t.path.Forwarders()...)
	}
	cpus, warning := on.CPUs(s.t.pt.Neighbour)
	by.place.CPUs = cpus
	return results.ReadWarnings(warning)
}

// workCPUs returns the CPUs of a process's threads: those that the server told, or those that the
// process got.
func (s *storing) workCPUs(o *member) []int {
	var told []int
	if server := s.server(); server != nil {
		switch lanes := server.Facts.Lanes; {
		case o == s.t.all.first():
			told = server.Facts.CPUs
		case o.place.Role == process.Store && lanes != nil:
			told = lanes.CPUs
		}
	}
	if len(told) > 0 {
		return told
	}
	return o.place.CPUs
}

// sharesServer reports whether the neighbour has a CPU of the server that clients see.
func (s *storing) sharesServer() bool {
	by, server := s.t.all.neighbour, s.t.all.first()
	return by != nil && by.sameKernel(server) &&
		slices.ContainsFunc(s.workCPUs(server), func(c int) bool {
			return slices.Contains(by.place.CPUs, c)
		})
}
