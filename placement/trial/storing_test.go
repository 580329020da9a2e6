package trial

import (
	"strings"
	"testing"

	"dpukv/internal/cpu"
	"dpukv/placement/submode"
	"dpukv/results"
)

// TestServerMovedInWords: the warning of the server's losses has the share that it retransmitted.
func TestServerMovedInWords(t *testing.T) {
	var p results.Point
	m := results.Moved{Sockets: results.Packets{SentDataPackets: 1000, ResentPackets: 1}}
	if noteMoved(&p, m); len(p.Warnings) > 0 || p.ServerMovedLoad.Sockets.SentDataPackets != 1000 {
		t.Errorf("at the limit: %q, %+v", p.Warnings, p.ServerMovedLoad)
	}
	m.Sockets.ResentPackets = 20
	want := "20 of 1000 sent in the load (2 %, limit 0.1 %)"
	if noteMoved(&p, m); len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0].String(), want) {
		t.Errorf("got %q, want %q in it", p.Warnings, want)
	}
}

// TestBusiestThread: a client that sees only the mean of the server's threads gets the busiest one's
// part from the server's node. A client that saw the threads itself keeps its own share.
func TestBusiestThread(t *testing.T) {
	at := func(ns ...int64) (list []cpu.Thread) {
		for id, used := range ns {
			list = append(list, cpu.Thread{ID: id, CPUNs: used})
		}
		return list
	}
	const bound = "client-bound: the client's threads used 90 % of their CPUs' time. " + results.ClientsLimit
	for _, c := range []struct {
		before, after []cpu.Thread
		by, wantBy    string
		want          float64
	}{
		{at(0, 0, 0, 0), at(25, 25, 25, 25), results.ByMeanOfThreads, results.ByBusiestInLoad, 0.25},
		{at(5, 5, 5, 5), at(5, 105, 5, 5), results.ByMeanOfThreads, results.ByBusiestInLoad, 1},
		{at(), at(), results.ByMeanOfThreads, results.ByMeanOfThreads, 0.25},
		{at(0, 0), at(0, 9), results.ByBusiestThread, results.ByBusiestThread, 0.25},
	} {
		p := results.Point{
			Identity: results.Identity{Status: results.StatusOK},
			Cost:     results.Cost{ClientCPUShare: 0.9, ClientBusyShare: 0.9},
			ServerWorkers: []results.ServerWorker{
				{CPUNs: 1, CPUShare: 0.25, CPUShareBy: c.by, Threads: 4},
			},
			Warnings: results.ReadWarnings(bound),
		}
		noteBusiest(&p, c.before, c.after)
		if w := p.ServerWorkers[0]; w.CPUShare != c.want || w.CPUShareBy != c.wantBy {
			t.Errorf("%+v, then %+v: got %+v, want %v by %s", c.before, c.after, w, c.want, c.wantBy)
		}
		full := strings.Contains(p.Warnings[0].String(),
			"Both sides are full: the client's CPUs were busy for 90 % of the "+
				"time; the busiest of the server's 4 threads for 100 %")
		if full != (c.want == 1) {
			t.Errorf("%+v, then %+v: got %q", c.before, c.after, p.Warnings)
		}
	}
}

// TestInferredRDMA: a point of SM5 over a NIC says what nobody has shown.
func TestInferredRDMA(t *testing.T) {
	if w := rdmaWarnings(submode.SM5, true, "ibverbs:mlx5_0"); len(w) != 1 || w[0].Kind != results.Unproven {
		t.Errorf("found %q, want that it is inferred", w)
	}
	for _, w := range []results.Warnings{
		rdmaWarnings(submode.SM4, true, "ibverbs:mlx5_0"), rdmaWarnings(submode.SM5, false, "ibverbs:mlx5_0"),
		rdmaWarnings(submode.SM5, true, "softroce:192.0.2.1"),
	} {
		if w != nil {
			t.Errorf("found %q, want none", w)
		}
	}
}
