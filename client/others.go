package client

import (
	"fmt"

	"dpukv/internal/cpu"
	"dpukv/results"
)

// others fills in what else had the CPUs of the two sides, of the time between the two samples.
func others(p *results.Point, begin, end *sample) {
	span := end.nowNs - begin.nowNs
	p.ClientOthersShare, p.ClientStolenShare = had(begin.cpus, end.cpus, end.processNs-begin.processNs, span*int64(len(p.ClientCPUs)))
	p.ServerOthersShare, p.ServerStolenShare = had(begin.server.CPUs, end.server.CPUs, end.server.CPUNs-begin.server.CPUNs, span*int64(len(p.ServerCPUs)))
}

// had is which parts of allNs programs beside the one that used ownNs, and a hypervisor, had.
func had(begin, end cpu.Occupied, ownNs, allNs int64) (programs, stolen float64) {
	if begin == (cpu.Occupied{}) || end == (cpu.Occupied{}) || allNs <= 0 {
		return 0, 0
	}
	othersNs := end.ProgramsNs - begin.ProgramsNs - ownNs
	return float64(max(othersNs, 0)) / float64(allNs), float64(max(end.StolenNs-begin.StolenNs, 0)) / float64(allNs)
}

// disturbed is about CPUs that others had a good part of.
func disturbed(p *results.Point) (doubts []string) {
	for _, side := range []struct {
		name             string
		programs, stolen float64
	}{{"server", p.ServerOthersShare, p.ServerStolenShare}, {"client", p.ClientOthersShare, p.ClientStolenShare}} {
		if side.programs > results.OthersShare {
			doubts = append(doubts, fmt.Sprintf("disturbed: other programs, of this load or not, had %.0f %% of the time of the %s's CPUs (%.0f %% is the limit): "+
				"end them, or give the %[2]s CPUs of its own", 100*side.programs, side.name, 100*results.OthersShare))
		}
		if side.stolen > results.OthersShare {
			doubts = append(doubts, fmt.Sprintf("disturbed: the hypervisor kept back %.0f %% of the time of the %s's CPUs (%.0f %% is the limit): "+
				"end its other machines, or measure without it", 100*side.stolen, side.name, 100*results.OthersShare))
		}
	}
	return doubts
}
