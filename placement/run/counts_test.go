package run

import (
	"strings"
	"testing"

	"dpukv/internal/cpu"
	"dpukv/kvs"
	"dpukv/placement/machines"
	"dpukv/placement/node"
	"dpukv/placement/sweep"
	"dpukv/results"
)

// TestServerMovedInWords: the warning of the server's losses has the share that it retransmitted.
func TestServerMovedInWords(t *testing.T) {
	var p results.Point
	m := kvs.Moved{Sockets: kvs.Packets{SentDataPackets: 1000, ResentPackets: 1}}
	if noteServerMoved(&p, m); len(p.Warnings) > 0 || p.ServerMovedLoad.Sockets.SentDataPackets != 1000 {
		t.Errorf("at the limit: %q, %+v", p.Warnings, p.ServerMovedLoad)
	}
	m.Sockets.ResentPackets = 20
	want := "20 of 1000 sent in the load (2 %, limit 0.1 %)"
	if noteServerMoved(&p, m); len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], want) {
		t.Errorf("got %q, want %q in it", p.Warnings, want)
	}
}

// lossy makes a machine of a lab lose one in a hundred packets that come to it. It returns the
// method.
func lossy(t *testing.T, m *machines.Machines, name string) string {
	t.Helper()
	on := m.SubmodeNode(m.Bed.Node(name))
	why := ""
	for how, script := range map[string]string{
		"nft": "nft add table ip loss && nft add chain ip loss in '{type filter hook input priority 0;}' && " +
			"nft add rule ip loss in numgen random mod 100 0 counter drop",
		"netem": "ip link add ifb-loss type ifb && ip link set ifb-loss up && " +
			"tc qdisc add dev eth0 root netem loss 1% && " +
			"tc qdisc add dev eth0 ingress && tc filter add dev eth0 parent ffff: matchall " +
			"action mirred egress redirect dev ifb-loss && tc qdisc add dev ifb-loss root netem loss 1%",
	} {
		_, err := on.Run(t.Context(), []string{"sh", "-c", script})
		if err == nil {
			return how
		}
		why += how + ": " + err.Error() + "\n"
	}
	t.Skip("a network that loses needs nft's numgen, or tc's netem and ifb:\n" + why)
	return ""
}

// TestLossIsNamed: lost packets in either direction affect the figure, and the point says so. The
// client sees the losses of its own packets. The server's kernel reports those of the server,
// whatever the store.
func TestLossIsNamed(t *testing.T) {
	for _, c := range []struct{ machine, side, Store string }{
		{"hostB", "client", "mica"}, {"hostA", "server", "mica"}, {"hostA", "server", "memcached"},
	} {
		t.Run(c.machine+"/"+c.Store, func(t *testing.T) {
			if c.Store == "memcached" {
				needInstalled(t)
			}
			file := strings.Replace(longerPoints, "store: [mica, herd]", "store: "+c.Store, 1)
			file = strings.Replace(file, "mode: store\n", "", 1)
			o := inLab(t, file+"placement: [CH-SH]\n", func(event string, _ *sweep.Point, m *machines.Machines) {
				if event == "go" {
					t.Log("packets get lost by", lossy(t, m, c.machine))
				}
			})
			runAll(t, o)
			want := "the network lost or delayed packets of the " + c.side
			for _, p := range readPoints(t, o.Dir) {
				all := strings.Join(p.Warnings, "\n")
				if p.Status == results.StatusOK && !strings.Contains(all, want) {
					t.Errorf("%s: got %q, want %q in it: the client's sockets moved %+v, the server's %+v",
						p.ID, p.Warnings, want, p.ClientMovedWindow.Sockets, p.ServerMovedLoad.Sockets)
				}
				t.Logf("%s: %.0f operations a second; %s", p.ID, p.ThroughputOps, all)
			}
		})
	}
}

// TestBusiestThread: a client that sees only the mean of the server's threads gets the busiest one's
// part from the server's node. A client that saw the threads itself keeps its own share.
func TestBusiestThread(t *testing.T) {
	at := func(ns ...int64) *node.Counted {
		c := &node.Counted{}
		for id, used := range ns {
			c.Threads = append(c.Threads, cpu.Thread{ID: id, CPUNs: used})
		}
		return c
	}
	const bound = "client-bound: the client's threads used 90 % of their CPUs' time. " + results.ClientsLimit
	for _, c := range []struct {
		before, after *node.Counted
		by, wantBy    string
		want          float64
	}{
		{at(0, 0, 0, 0), at(25, 25, 25, 25), results.ByMeanOfThreads, results.ByBusiestInLoad, 0.25},
		{at(5, 5, 5, 5), at(5, 105, 5, 5), results.ByMeanOfThreads, results.ByBusiestInLoad, 1},
		{at(), at(), results.ByMeanOfThreads, results.ByMeanOfThreads, 0.25},
		{at(0, 0), at(0, 9), results.ByBusiestThread, results.ByBusiestThread, 0.25},
	} {
		p := results.Point{
			ServerWorkers: []results.ServerWorker{
				{CPUNs: 1, CPUShare: 0.25, CPUShareBy: c.by, Threads: 4},
			},
			Status: results.StatusOK, ClientCPUShare: 0.9, ClientBusyShare: 0.9, Warnings: []string{bound},
		}
		noteServer(&p, c.before, c.after)
		if w := p.ServerWorkers[0]; w.CPUShare != c.want || w.CPUShareBy != c.wantBy {
			t.Errorf("%+v, then %+v: got %+v, want %v by %s", c.before, c.after, w, c.want, c.wantBy)
		}
		full := strings.Contains(p.Warnings[0], "Both sides are full: the client's CPUs were busy for 90 % of the "+
			"time; the busiest of the server's 4 threads for 100 %")
		if full != (c.want == 1) {
			t.Errorf("%+v, then %+v: got %q", c.before, c.after, p.Warnings)
		}
	}
}
