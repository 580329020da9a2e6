package client

import (
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/energy"
	"dpukv/results"
)

// interference fills in the other users of both sides' CPUs between the two samples.
func interference(p *results.Point, begin, end *sample) {
	span := end.nowNs - begin.nowNs
	p.ClientOthersShare, p.ClientStolenShare = occupied(
		begin.cpus, end.cpus, end.processNs-begin.processNs, span*int64(len(p.ClientCPUs)))
	p.ServerOthersShare, p.ServerStolenShare = occupied(
		begin.server.CPUs, end.server.CPUs, end.server.CPUNs-begin.server.CPUNs,
		span*int64(len(p.ServerCPUs)))
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

// occupied returns two parts of allNs: the part of other programs than the one that used ownNs, and
// the part of a hypervisor.
func occupied(begin, end cpu.Occupied, ownNs, allNs int64) (programs, stolen float64) {
	if begin == (cpu.Occupied{}) || end == (cpu.Occupied{}) || allNs <= 0 {
		return 0, 0
	}
	othersNs := end.ProgramsNs - begin.ProgramsNs - ownNs
	stolenNs := end.StolenNs - begin.StolenNs
	return float64(max(othersNs, 0)) / float64(allNs), float64(max(stolenNs, 0)) / float64(allNs)
}
