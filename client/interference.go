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
func (r *loadRun) interference(p *results.Point, begin, end *sample) {
	span := end.nowNs - begin.nowNs
	client := occupied(
		begin.cpus, end.cpus, end.processNs-begin.processNs, span*int64(len(p.ClientCPUs)))
	server := r.atServer(&begin.server, &end.server, span, len(p.ServerCPUs))
	p.ClientOthersShare, p.ServerOthersShare = client.programs, server.programs
	p.ClientStolenShare, p.ServerStolenShare = client.stolen, server.stolen
	p.ClientInterruptShare, p.ServerInterruptShare = client.interrupts, server.interrupts
}

// spend fills in the energy of both machines between the two samples.
func spend(p *results.Point, begin, end *sample) {
	span := time.Duration(end.nowNs - begin.nowNs)
	serverUJ, serverBy := energy.Between(begin.server.Energy, end.server.Energy, span)
	if ops := end.server.Ops() - begin.server.Ops(); ops > 0 && serverUJ > 0 {
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

// atServer returns the other users of the server's CPUs. Of a split server, a share is the larger
// one of both halves.
func (r *loadRun) atServer(begin, end *kvs.Stats, spanNs int64, cpus int) otherUsers {
	ownNs := end.CPUNs - begin.CPUNs
	engine, split := end.PartOf(kvs.PartEngine)
	store, _ := end.PartOf(kvs.PartStore)
	if !split || r.facts.Lanes == nil {
		return occupied(begin.CPUs, end.CPUs, ownNs, spanNs*int64(cpus))
	}
	before := func(part string) kvs.PartStats {
		p, _ := begin.PartOf(part)
		return p
	}
	engineBefore, storeBefore := before(kvs.PartEngine), before(kvs.PartStore)
	engineNs, storeNs := engine.CPUNs-engineBefore.CPUNs, store.CPUNs-storeBefore.CPUNs
	if engine.Machine == store.Machine && common(r.facts.CPUs, r.facts.Lanes.CPUs) != nil {
		engineNs, storeNs = ownNs, ownNs
	}
	a := occupied(begin.CPUs, end.CPUs, engineNs, spanNs*int64(cpus))
	b := occupied(storeBefore.CPUs, store.CPUs, storeNs, spanNs*int64(len(r.facts.Lanes.CPUs)))
	return otherUsers{
		programs: max(a.programs, b.programs), interrupts: max(a.interrupts, b.interrupts),
		stolen: max(a.stolen, b.stolen),
	}
}

// common lists the CPUs of a that b has, too; nil: there are none.
func common(a, b []int) (both []int) {
	for _, c := range a {
		if slices.Contains(b, c) {
			both = append(both, c)
		}
	}
	return both
}
