package client

import (
	"dpukv/internal/cpu"
	"dpukv/kvs"
	"dpukv/results"
)

// serverWorkers returns the work of each worker of a server with so many threads, between two
// samples.
func serverWorkers(begin, end *sample, threads int) []results.ServerWorker {
	if len(begin.server.Workers) != len(end.server.Workers) {
		return nil // not the same server
	}
	span := float64(end.nowNs - begin.nowNs)
	var list []results.ServerWorker
	for i := range end.server.Workers {
		list = append(list, between(i, &begin.server.Workers[i], &end.server.Workers[i], span))
	}
	if len(list) == 1 && threads > 1 {
		sumOfThreads(&list[0], threads, begin, end)
	}
	return list
}

// sumOfThreads sets the CPU share of a worker that stands for all threads of a server. The whole
// process's CPU time would make four threads at a quarter look like a full one.
func sumOfThreads(w *results.ServerWorker, threads int, begin, end *sample) {
	w.Threads = threads
	most, all := cpu.BusiestOf(begin.server.Threads, end.server.Threads)
	if all == 0 { // not visible from here
		w.CPUShare, w.CPUShareBy = w.CPUShare/float64(threads), results.ByMeanOfThreads
		return
	}
	w.CPUShare = float64(most) / float64(end.nowNs-begin.nowNs)
	w.CPUShareBy = results.ByBusiestThread
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
