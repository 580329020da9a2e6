package client

import (
	"testing"

	"dpukv/internal/cpu"
	"dpukv/kvs"
	"dpukv/results"
)

// TestThreadsOfOneSum: the share of a worker that stands for four threads is that of the busiest one.
// Where the threads are not visible, it is their mean, and says so.
func TestThreadsOfOneSum(t *testing.T) {
	at := func(nowNs int64, threads ...int64) *sample {
		s := sample{nowNs: nowNs}
		var all int64
		for id, ns := range threads {
			all += ns
			s.server.Threads = append(s.server.Threads, cpu.Thread{ID: id + 1, CPUNs: ns})
		}
		s.server.CPUNs, s.server.Workers = all, []kvs.WorkerStats{{CPUNs: all}}
		return &s
	}
	hidden := func(s *sample) *sample { s.server.Threads = nil; return s }
	for _, c := range []struct {
		name       string
		begin, end *sample
		threads    int
		share      float64
		by         string
	}{
		{"even", at(0, 10, 10, 10, 10), at(1000, 260, 260, 260, 260), 4, 0.25, results.ByBusiestThread},
		{"one full", at(0, 0, 0, 0, 0), at(1000, 0, 1000, 0, 0), 4, 1, results.ByBusiestThread},
		{
			"not visible", hidden(at(0, 0, 0, 0, 0)), hidden(at(1000, 250, 250, 250, 250)), 4, 0.25,
			results.ByMeanOfThreads,
		},
		{"visible once", hidden(at(0, 0, 0, 0, 0)), at(1000, 0, 1000, 0, 0), 4, 0.25, results.ByMeanOfThreads},
		{"one thread", at(0, 0, 0), at(1000, 600, 20), 1, 0.62, ""},
	} {
		w := serverWorkers(c.begin, c.end, c.threads)[0]
		if w.CPUShare != c.share || w.CPUShareBy != c.by || w.Threads != c.threads && c.by != "" {
			t.Errorf("%s: got %+v, want the share %v, by %q", c.name, w, c.share, c.by)
		}
	}
}
