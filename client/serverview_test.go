package client

import (
	"math"
	"testing"
	"time"

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

// TestStages checks where a delay counts. A delay that the server reports is the server's. The same
// delay on the path is in the rest.
func TestStages(t *testing.T) {
	const delay = 2 * time.Millisecond
	for name, c := range map[string]struct {
		residence time.Duration // of the delay
		rate      float64
	}{
		"in the server":              {delay, 0},
		"half in the server":         {delay / 2, 0},
		"almost all on the path":     {time.Microsecond, 0},
		"in the server, open loop":   {delay, 20_000},
		"the server reports no time": {0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := newFakeRemote()
			leakFree(t, r)
			r.latency, r.residence = delay, c.residence
			cfg := periodLoad(t)
			cfg.Keys, cfg.RateOps = 500, c.rate // few keys are soon there
			p := mustRun(t, r, cfg).Point
			s := p.Stages
			if c.residence == 0 {
				if s != (results.Stages{}) {
					t.Errorf("found %+v of a server that reports no time", s)
				}
				return
			}
			if s.ServerResidenceNs != float64(c.residence) || s.ClientQueueNs != fakeQueueNs {
				t.Errorf("found %+v, want a residence of %v and a queue of %d ns", s, c.residence, fakeQueueNs)
			}
			// The fake's clients get an answer a whole delay after the send, or later.
			if least := float64(delay-c.residence) - fakeQueueNs - 0.01*float64(delay); s.RestNs < least {
				t.Errorf("the rest is %v ns, want at least %v", s.RestNs, least)
			}
			if s.BeforeSendNs < 0 || c.rate == 0 && s.BeforeSendNs != 0 {
				t.Errorf("before the send: %v ns", s.BeforeSendNs)
			}
			sum := s.BeforeSendNs + s.ClientQueueNs + s.ServerResidenceNs + s.RestNs
			if math.Abs(sum-p.MeanNs) > 1 {
				t.Errorf("the stages add up to %v, the mean latency is %v", sum, p.MeanNs)
			}
		})
	}
}
