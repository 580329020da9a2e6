package emulate

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"dpukv/placement/emulate/keeper"
)

// Lab is a running testbed. Several goroutines may call its methods.
type Lab struct {
	*process
	ways
	topology *topology
	model    *model

	mu    sync.Mutex
	facts Facts
}

func (f *Facts) machine(name string) *MachineFacts {
	for i := range f.Machines { // by address: SetCores may be writing to another field
		if m := &f.Machines[i]; m.Name == name {
			return m
		}
	}
	return nil
}

// SetCores gives a machine the CPU time of n of its profile's cores, at most all of them. It
// returns the time in CPUs; 0: the machine has no profile and no limit. The kernel limits a group
// of processes, not a core. So call it with n before n busy threads start; each then runs at a
// core's strength. Facts has the details, with notes of deviations.
func (l *Lab) SetCores(machine string, n int) (quotaCPUs float64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	facts, p := l.facts.machine(machine), l.model.profiles[machine]
	switch {
	case facts == nil:
		return 0, l.unknown(machine)
	case n < 1:
		return 0, fmt.Errorf("machine %s: found %d cores, allowed: 1 or more", machine, n)
	case p == nil:
		return 0, nil
	}
	n = min(n, p.Cores)
	var set keeper.Set
	if err := l.call("SetQuota", keeper.Quota{Space: machine, CPUs: p.cpus(n)}, &set); err != nil {
		return 0, err
	}
	facts.Cores, facts.QuotaCPUs, facts.PeriodNs = n, set.CPUs, set.PeriodNs
	facts.Notes = p.notes(n, facts.LinkGbps)
	return set.CPUs, nil
}

// Counters returns the counters of a machine's interface (Port for an on-path DPU).
func (l *Lab) Counters(machine string) (Counters, error) {
	facts := l.facts.machine(machine)
	if facts == nil {
		return Counters{}, l.unknown(machine)
	}
	all, err := l.AllCounters()
	return all[machine+"/"+facts.Interfaces[0]], err
}

// AllCounters returns the counters of every interface, by "machine/interface". The wire between the
// sides is "card-HOST/wire" for a host behind a card.
func (l *Lab) AllCounters() (map[string]Counters, error) {
	var all map[string]Counters
	err := l.call("Counters", struct{}{}, &all)
	return all, err
}

// Facts describes the lab that was made.
func (l *Lab) Facts() Facts {
	l.mu.Lock()
	defer l.mu.Unlock()
	facts := l.facts
	facts.Machines = slices.Clone(facts.Machines)
	for i := range facts.Machines {
		m := &facts.Machines[i]
		m.Interfaces, m.Notes = slices.Clone(m.Interfaces), slices.Clone(m.Notes)
	}
	return facts
}

// Await waits until one machine reaches the other, for seconds at most. Call it after Restore, or
// once a datapath connects an on-path DPU's interfaces: the kernel may still remember that the
// address did not answer.
func (l *Lab) Await(ctx context.Context, from, to string) error {
	if l.facts.machine(from) == nil {
		return l.unknown(from)
	}
	if l.Address(to) == "" {
		return fmt.Errorf("emulated testbed: machine %q has no address to reach", to)
	}
	return l.callContext(ctx, "Reach", keeper.Reach{From: from, To: l.Address(to)}, &struct{}{})
}

// CutOff takes a machine's link down, like an unplugged cable. Restore plugs it in again.
func (l *Lab) CutOff(machine string) error { return l.plugged(machine, false) }

// Restore undoes CutOff.
func (l *Lab) Restore(machine string) error { return l.plugged(machine, true) }

// plugged sets the far end of a machine's cable. The machine's own end keeps its address and
// routes, and loses its carrier.
func (l *Lab) plugged(machine string, up bool) error {
	far, ok := l.topology.cables[machine]
	if !ok {
		if l.facts.machine(machine) != nil {
			return fmt.Errorf("machine %s: found no cable to pull: it is alone", machine)
		}
		return l.unknown(machine)
	}
	return l.call("SetLink", keeper.LinkState{Space: far.Space, Name: far.Name, Up: up},
		&struct{}{})
}
