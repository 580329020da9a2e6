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
	server := occupied(
		begin.server.CPUs, end.server.CPUs,
		r.onServerCPUs(&end.server)-r.onServerCPUs(&begin.server),
		span*int64(len(p.ServerCPUs)))
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

// onServerCPUs returns the CPU time that the server itself used on its CPUs. A store half counts if
// it has the engine's CPUs.
func (r *runner) onServerCPUs(s *kvs.Stats) int64 {
	engine, split := s.PartOf(kvs.PartEngine)
	l := r.facts.Lanes
	shared := l != nil && l.Provider == "shm" && slices.ContainsFunc(l.CPUs, func(c int) bool {
		return slices.Contains(r.facts.CPUs, c)
	})
	if !split || shared {
		return s.CPUNs
	}
	return engine.CPUNs
}
