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
	switch {
	case len(list) == 1 && threads > 1:
		sumOfThreads(&list[0], threads, begin, end)
	case len(list) > 1 && threads > len(list):
		meansOfThreads(list, threads/len(list))
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

// meansOfThreads sets the CPU shares of workers that each stand for several threads, as the nodes
// of a cluster do. Their threads are not visible.
func meansOfThreads(list []results.ServerWorker, threads int) {
	for i := range list {
		w := &list[i]
		w.Threads = threads
		w.CPUShare, w.CPUShareBy = w.CPUShare/float64(threads), results.ByMeanOfThreads
	}
}

// stages splits the mean latency. The server's part is that of all its clients between the samples.
func (r *loadRun) stages(p *results.Point, s summed) results.Stages {
	begin, end := &r.sampler.begin.server, &r.sampler.end.server
	if len(begin.Workers) != len(end.Workers) {
		return results.Stages{}
	}
	var residenceNs, ops uint64
	for i := range end.Workers {
		residenceNs += end.Workers[i].ResidenceNs - begin.Workers[i].ResidenceNs
		ops += end.Workers[i].Ops - begin.Workers[i].Ops
	}
	return results.StagesOf(p, mean(s.traffic.QueuedNs, s.traffic.SentOps), mean(residenceNs, ops))
}

// mean is the mean of a sum over n operations, or 0 without any.
func mean(sumNs, n uint64) float64 {
	if n == 0 {
		return 0
	}
	return float64(sumNs) / float64(n)
}

func between(worker int, a, b *kvs.WorkerStats, span float64) results.ServerWorker {
	return results.ServerWorker{
		Worker: worker,
		Ops:    b.Ops - a.Ops, Gets: b.Gets - a.Gets, Hits: b.Hits - a.Hits,
		Batches: b.Frames - a.Frames, Evicted: b.Evicted - a.Evicted,
		Repeats:     b.Repeats - a.Repeats,
		ResidenceNs: mean(b.ResidenceNs-a.ResidenceNs, b.Ops-a.Ops),
		CPUNs:       b.CPUNs - a.CPUNs, CPUShare: float64(b.CPUNs-a.CPUNs) / span,
	}
}
