package client

import (
	"slices"
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/energy"
	"dpukv/kvs"
	"dpukv/results"
)

// interference fills in the other users of both sides' CPUs between the two samples.
func (r *runner) interference(p *results.Point, begin, end *sample) {
	span := end.nowNs - begin.nowNs
	client := occupied(
		begin.cpus, end.cpus, end.processNs-begin.processNs, span*int64(len(p.ClientCPUs)))
	server := r.besideServer(
		&begin.server, &end.server, span, span*int64(len(p.ServerCPUs)))
	p.ClientOthersShare, p.ServerOthersShare = client.programs, server.programs
	p.ClientStolenShare, p.ServerStolenShare = client.stolen, server.stolen
	p.ClientInterruptShare, p.ServerInterruptShare = client.interrupts, server.interrupts
}

// spend fills in the energy of both machines between the two samples.
func spend(p *results.Point, begin, end *sample) {
	span := time.Duration(end.nowNs - begin.nowNs)
	serverUJ, serverBy := energy.Between(begin.server.Energy, end.server.Energy, span)
	_, split := begin.server.PartOf(kvs.PartStore) // on one machine or two: nobody knows
	if ops := end.server.Ops() - begin.server.Ops(); ops > 0 && serverUJ > 0 && !split {
		p.ServerEnergyUJPerOp, p.ServerEnergyBy = serverUJ/float64(ops), serverBy
	}
	clientUJ, clientBy := energy.Between(begin.energy, end.energy, span)
	if p.Ops > 0 && clientUJ > 0 {
		inPeriod := clientUJ / float64(span) * float64(p.DurationNs)
		p.ClientEnergyUJPerOp, p.ClientEnergyBy = inPeriod/float64(p.Ops), clientBy
	}
}

// otherUsers are shares of a side's CPU time.
type otherUsers struct{ programs, interrupts, stolen float64 }

// occupied returns the parts of allNs that the program that used ownNs did not have: the part of
// other programs, of interrupts, and of a hypervisor.
func occupied(begin, end cpu.Occupied, ownNs, allNs int64) otherUsers {
	if begin == (cpu.Occupied{}) || end == (cpu.Occupied{}) || allNs <= 0 {
		return otherUsers{}
	}
	share := func(ns int64) float64 { return float64(max(ns, 0)) / float64(allNs) }
	return otherUsers{
		programs:   share(end.ProgramsNs - begin.ProgramsNs - ownNs),
		interrupts: share(end.InterruptsNs - begin.InterruptsNs),
		stolen:     share(end.StolenNs - begin.StolenNs),
	}
}

// most returns the larger share of each.
func (o otherUsers) most(p otherUsers) otherUsers {
	return otherUsers{
		max(o.programs, p.programs), max(o.interrupts, p.interrupts), max(o.stolen, p.stolen),
	}
}

// besideServer returns the other users of the server's CPUs. Halves have CPUs of their own, and the
// half with the larger share counts. If they share CPUs, the CPU time of both is the server's.
// front is the time of the CPUs of what clients connect to.
func (r *runner) besideServer(begin, end *kvs.Stats, span, front int64) otherUsers {
	l := r.facts.Lanes
	if l == nil || r.halvesShare() {
		return occupied(begin.CPUs, end.CPUs, end.CPUNs-begin.CPUNs, front)
	}
	of := func(part string) (before, after kvs.PartStats, ownNs int64) {
		before, _ = begin.PartOf(part)
		after, _ = end.PartOf(part)
		return before, after, after.CPUNs - before.CPUNs
	}
	_, _, engineNs := of(kvs.PartEngine)
	a, b, storeNs := of(kvs.PartStore)
	store := occupied(a.CPUs, b.CPUs, storeNs, span*int64(len(l.CPUs)))
	return occupied(begin.CPUs, end.CPUs, engineNs, front).most(store)
}

// halvesShare reports whether an engine and its store half have CPUs in common.
func (r *runner) halvesShare() bool {
	l := r.facts.Lanes
	return l.Provider == "shm" && slices.ContainsFunc(l.CPUs, func(c int) bool {
		return slices.Contains(r.facts.CPUs, c)
	})
}
