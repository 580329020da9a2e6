package results_test

import (
	"strings"
	"testing"

	"dpukv/results"
	"dpukv/results/resultstest"
)

func TestBottleneck(t *testing.T) {
	busy := func(client, server float64) func(*results.Point) {
		return func(p *results.Point) {
			p.ClientCPUShare, p.ClientBusyShare, p.ServerCPUShare = client, client, server
		}
	}
	workers := func(p *results.Point) {
		p.ServerWorkers = []results.ServerWorker{
			{Worker: 0, CPUNs: 1, CPUShare: 0.2},
			{Worker: 1, CPUNs: 5, CPUShare: 0.97},
		}
	}
	threads := func(share float64, by string) func(*results.Point) {
		return func(p *results.Point) {
			p.ServerThreads = 4
			p.ServerWorkers = []results.ServerWorker{{CPUNs: 1, CPUShare: share, CPUShareBy: by, Threads: 4}}
		}
	}
	interrupts := func(client, server float64) func(*results.Point) {
		return func(p *results.Point) { p.ClientInterruptShare, p.ServerInterruptShare = client, server }
	}
	proxy := func(cpuNs, spunNs float64, threads int) func(*results.Point) {
		return func(p *results.Point) {
			p.ThroughputOps, p.ProxyLanes = 1e6, &results.Lanes{Threads: threads}
			p.Parts = []results.Part{{Part: "proxy", CPUNsPerOp: cpuNs, SpunNsPerOp: spunNs}}
		}
	}
	polling := func(p *results.Point) { p.Transport = "rdma" }
	for name, c := range map[string]struct {
		edits     []func(*results.Point)
		side, why string
	}{
		"client": {[]func(*results.Point){busy(0.95, 0.3)}, results.SideClient, "busy for 95 %"},
		"server": {
			[]func(*results.Point){busy(0.3, 0.95)}, results.SideServer, "the server's threads for 95 %",
		},
		"both": {[]func(*results.Point){busy(0.9, 0.95)}, results.SideBoth, ""},
		"a server asked to poll": {
			[]func(*results.Point){busy(0.3, 1), func(p *results.Point) { p.ServerWait = "poll" }},
			results.SideUnknown, "the server's workers poll, so their CPU time shows nothing",
		},
		"a client that computes": {
			[]func(*results.Point){busy(0.95, 0.3), func(p *results.Point) {
				p.Compute, p.ClientBusyShare = 20e3, 0.2
			}},
			results.SideNeither, "the client's CPUs were busy for 20 % of the time, its compute aside",
		},
		"neither": {[]func(*results.Point){busy(0.3, 0.3)}, results.SideNeither, "the window"},
		"one worker of two": {
			[]func(*results.Point){busy(0.3, 0.58), workers},
			results.SideServer, "the busiest of the server's 2 workers (number 1) for 97 %",
		},
		"four threads at 25 %": {
			[]func(*results.Point){busy(0.3, 0.25), threads(0.25, results.ByBusiestThread)},
			results.SideNeither, "the busiest of the server's 4 threads for 25 %",
		},
		"one thread of four": {
			[]func(*results.Point){busy(0.3, 0.25), threads(0.97, results.ByBusiestThread)},
			results.SideServer, "the busiest of the server's 4 threads for 97 %",
		},
		"one thread of four, by the node": {
			[]func(*results.Point){busy(0.3, 0.25), threads(0.97, results.ByBusiestInLoad)},
			results.SideServer, "the busiest of the server's 4 threads for 97 %",
		},
		"four threads, of which the mean is known": {
			[]func(*results.Point){busy(0.3, 0.25), threads(0.25, results.ByMeanOfThreads)},
			results.SideUnknown, "the server's 4 threads, on average, for 25 % (one of them may be full",
		},
		"four threads, of which none can be full": {
			[]func(*results.Point){busy(0.3, 0.2), threads(0.2, results.ByMeanOfThreads)},
			results.SideNeither, "on average, for 20 %",
		},
		"four full threads": {
			[]func(*results.Point){busy(0.3, 0.95), threads(0.95, results.ByMeanOfThreads)},
			results.SideServer, "on average, for 95 %",
		},
		"an older point's four threads": {
			[]func(*results.Point){busy(0.3, 0.25), threads(1, ""), func(p *results.Point) {
				p.ServerThreads, p.ServerWorkers[0].Threads = 4, 0
			}},
			results.SideUnknown, "on average, for 25 %",
		},
		"a server that polls":  {[]func(*results.Point){busy(0.3, 1), polling}, results.SideUnknown, "poll"},
		"client, server polls": {[]func(*results.Point){busy(0.95, 1), polling}, results.SideClient, "poll"},
		"a full proxy": {
			[]func(*results.Point){busy(0.3, 0.3), proxy(1000, 50, 1)},
			results.SideClient,
			"the client's CPUs were busy for 30 % of the time; the proxy's threads for 95 %, without polling",
		},
		"a proxy with room": {
			[]func(*results.Point){busy(0.3, 0.3), proxy(1000, 700, 1)},
			results.SideNeither,
			"the proxy's threads for 30 %",
		},
		"two threads of a proxy, one perhaps full": {
			[]func(*results.Point){busy(0.3, 0.3), proxy(2000, 1000, 2)},
			results.SideUnknown,
			"one of them may be full",
		},
		"a proxy that hides its polling": {
			[]func(*results.Point){busy(0.3, 0.3), proxy(1000, 0, 1)}, results.SideUnknown, "the proxy's threads poll",
		},
		"a full client before a proxy": {
			[]func(*results.Point){busy(0.95, 0.3), proxy(1000, 0, 1)}, results.SideClient, "busy for 95 %",
		},
		"a full server behind a proxy": {
			[]func(*results.Point){busy(0.3, 0.95), proxy(1000, 700, 1)},
			results.SideServer,
			"the server's threads for 95 %",
		},
		"a proxy held down": {
			[]func(*results.Point){busy(0.3, 0.3), proxy(1000, 700, 1), func(p *results.Point) {
				p.Parts[0].Node = results.Node{Node: "dpuA", Kind: "dpu", Profile: "bf2"}
			}},
			results.SideUnknown, "the profile bf2 of dpuA limits its CPU time",
		},
		"not known": {[]func(*results.Point){busy(0, 0)}, results.SideUnknown, "not known"},
		"failed": {
			[]func(*results.Point){busy(0.95, 0.3), resultstest.Failed("?")}, results.SideUnknown, "not known",
		},
		"server held down": {[]func(*results.Point){busy(0.3, 0.24), func(p *results.Point) {
			p.ServerNode = results.Node{Node: "dpuB", Kind: "dpu", Profile: "bf2"}
		}}, results.SideUnknown, "the profile bf2 of dpuB limits its CPU time"},
		"server's CPUs had by others": {[]func(*results.Point){busy(0.3, 0.45), func(p *results.Point) {
			p.ServerOthersShare, p.ServerStolenShare = 0.3, 0.2
		}}, results.SideUnknown, "others used its CPUs for 50 %"},
		"client's CPUs had by others": {
			[]func(*results.Point){busy(0.3, 0.45), func(p *results.Point) { p.ClientOthersShare = 0.5 }},
			results.SideUnknown, "others used its CPUs",
		},
		"others, but full": {
			[]func(*results.Point){busy(0.3, 0.88), func(p *results.Point) { p.ServerOthersShare = 0.12 }},
			results.SideServer, "",
		},
		"others, a little": {
			[]func(*results.Point){busy(0.3, 0.45), func(p *results.Point) { p.ServerOthersShare = 0.09 }},
			results.SideNeither, "",
		},
		"interrupts that may fill the client": {
			[]func(*results.Point){busy(0.6, 0.3), interrupts(0.3, 0)},
			results.SideUnknown, "busy for 60 % of the time (interrupts used its CPUs for 30 %",
		},
		"interrupts that may fill the server": {
			[]func(*results.Point){busy(0.3, 0.6), interrupts(0, 0.3)},
			results.SideUnknown, "for 60 % (interrupts used its CPUs for 30 %",
		},
		"interrupts that leave room": {
			[]func(*results.Point){busy(0.3, 0.5), interrupts(0.3, 0.3)},
			results.SideNeither, "",
		},
		"one of several clients": {[]func(*results.Point){busy(0.6, 0.3), func(p *results.Point) {
			p.Warnings = results.ReadWarnings("dpuA: client-bound: …")
		}}, results.SideClient, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := resultstest.LocalPoint(c.edits...)
			if got := p.Bottleneck(); got.Side != c.side || !strings.Contains(got.Why, c.why) {
				t.Errorf("found %+v, want %s with %q", got, c.side, c.why)
			}
		})
	}
}

// TestSayWhoIsFull: the warnings of busy clients agree with the bottleneck.
func TestSayWhoIsFull(t *testing.T) {
	const busy = "hostA: client-bound: the client's threads used 90 % of their CPUs' time (limit: 85 %). "
	const alone, other = busy + results.ClientsLimit, "client threads share CPUs: threads [0 1] on CPU 3"
	const both = busy + "Both sides are full: the client's CPUs were busy for 90 % of the time; " +
		"the server's threads for 97 %. To find the limit of one side, give the other more CPUs"
	for name, c := range map[string]struct {
		server    float64
		transport string
		want      string
	}{
		"both":                {0.97, "tcp", both},
		"the client":          {0.6, "tcp", alone},
		"a server that polls": {1, "rdma", alone},
	} {
		t.Run(name, func(t *testing.T) {
			p := resultstest.LocalPoint(func(p *results.Point) {
				p.ClientCPUShare, p.ClientBusyShare, p.ServerCPUShare = 0.95, 0.9, c.server
				p.Transport, p.Warnings = c.transport, results.ReadWarnings(other, alone)
			})
			for range 2 { // of several clients, the orchestrator says it again
				if p.SayWhoIsFull(); p.Warnings[0].String() != other || p.Warnings[1].String() != c.want {
					t.Errorf("found %q, want %q", p.Warnings, c.want)
				}
			}
		})
	}
}

// TestFullClientAmongMany: of five clients, one is full or two are on a CPU that they fill. The
// words name them and no other, and tell them apart from a full server.
func TestFullClientAmongMany(t *testing.T) {
	const limit = "client-bound: the client's threads used 97 % of their CPUs' time (limit: 85 %). " +
		results.ClientsLimit
	for name, c := range map[string]struct {
		busy      [5]float64
		server    float64
		side, why string
		said      string // the end of the warning
	}{
		"one": {
			[5]float64{0.4, 0.3, 0.97, 0.35, 0.3},
			0.5, results.SideClient,
			"the CPUs of 1 of the 5 clients were full: busy c3 for 97 % of the time, those of the others for " +
				"at most 40 %; the server's threads for 50 %",
			"Give the full client more CPUs, or less of the load",
		},
		"one, and the server": {
			[5]float64{0.4, 0.3, 0.97, 0.35, 0.3},
			0.96, results.SideBoth,
			"busy c3 for 97 % of the time, those of the others for at most 40 %; the server's threads for 96 %",
			"To find the limit of one side, give the other more CPUs",
		},
		"two": {
			[5]float64{0.4, 0.95, 0.3, 0.97, 0.3},
			0.5, results.SideClient,
			"2 of the 5 clients were full: busy c2 for 95 %, c4 for 97 % of the time", "or less of the load",
		},
		"all": {
			[5]float64{0.9, 0.95, 0.9, 0.97, 0.9},
			0.5, results.SideClient, "the CPUs of all 5 clients were full: " +
				"busy c1 for 90 %, c2 for 95 %, c3 for 90 %, c4 for 97 %, c5 for 90 % of the time",
			results.ClientsLimit,
		},
		"none, and the server": {
			[5]float64{0.4, 0.4, 0.4, 0.4, 0.4},
			0.96, results.SideServer,
			"the client's CPUs were busy for 40 % of the time; the server's threads for 96 %", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := resultstest.LocalPoint(func(p *results.Point) {
				p.ServerCPUShare, p.Transport, p.Warnings, p.Clients = c.server, "tcp", nil, nil
				p.ClientBusyShare = 0
				for i, busy := range c.busy {
					node := "c" + string(rune('1'+i))
					p.Clients = append(p.Clients, results.ClientShare{Node: results.Node{Node: node}, BusyShare: busy})
					p.ClientBusyShare += busy / 5
				}
				p.ClientCPUShare = p.ClientBusyShare
				if c.said != "" {
					p.Warnings = results.ReadWarnings("c3: " + limit)
				}
			})
			if got := p.Bottleneck(); got.Side != c.side || !strings.Contains(got.Why, c.why) {
				t.Errorf("found %+v, want %s with %q", got, c.side, c.why)
			}
			p.SayWhoIsFull()
			if got := p.Warnings.String(); !strings.HasSuffix(strings.TrimSpace(got), c.said) {
				t.Errorf("found %q, want the end %q", got, c.said)
			}
		})
	}
}
