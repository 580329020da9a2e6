package client

import (
	"dpukv/kvs"
	"dpukv/results"
)

// serverWorkers returns the work of each server worker between two samples.
func serverWorkers(begin, end *sample) []results.ServerWorker {
	if len(begin.server.Workers) != len(end.server.Workers) {
		return nil // not the same server
	}
	span := float64(end.nowNs - begin.nowNs)
	var list []results.ServerWorker
	for i := range end.server.Workers {
		list = append(list, between(i, &begin.server.Workers[i], &end.server.Workers[i], span))
	}
	return list
}

func between(worker int, a, b *kvs.WorkerStats, span float64) results.ServerWorker {
	return results.ServerWorker{
		Worker: worker,
		Ops:    b.Ops - a.Ops, Gets: b.Gets - a.Gets, Hits: b.Hits - a.Hits,
		Batches: b.Frames - a.Frames, Evicted: b.Evicted - a.Evicted,
		Repeats: b.Repeats - a.Repeats,
		CPUNs:   b.CPUNs - a.CPUNs, CPUShare: float64(b.CPUNs-a.CPUNs) / span,
	}
}
