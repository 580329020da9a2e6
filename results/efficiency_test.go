package results_test

import (
	"testing"

	"dpukv/results"
	"dpukv/results/resultstest"
)

func TestOpsPerCoreS(t *testing.T) {
	for name, c := range map[string]struct {
		edit      func(*results.Point)
		host, dpu float64
	}{
		"a server on a host": {func(p *results.Point) { p.ServerNode.Kind = "host" }, 2e6, 0},
		"a server on a DPU":  {func(p *results.Point) { p.ServerNode.Kind = "dpu" }, 0, 2e6},
		"a DPU that forwards": {func(p *results.Point) {
			// It works a tenth of the time, for 1.5 Mops.
			p.ServerNode.Kind, p.EvidenceNs, p.ForwarderCPUNs = "host", 10e9, 1e9
		}, 2e6, 15e6},
		"halves": {func(p *results.Point) {
			inHalves(p)
			p.ServerNode.Kind, p.ServerHostCPUNsPerOp, p.ServerDPUCPUNsPerOp = "dpu", 400, 100
		}, 2.5e6, 10e6},
		"of unknown kind":  {func(*results.Point) {}, 0, 0},
		"CPU time unknown": {func(p *results.Point) { p.ServerNode.Kind, p.ServerCPUNsPerOp = "host", 0 }, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := resultstest.Point(func(p *results.Point) { p.ServerCPUNsPerOp = 500; c.edit(p) })
			host, dpu := p.OpsPerCoreS(results.KindHost), p.OpsPerCoreS(results.KindDPU)
			if !near(host, c.host) || !near(dpu, c.dpu) {
				t.Errorf("found %v on hosts and %v on DPUs, want %v and %v", host, dpu, c.host, c.dpu)
			}
		})
	}
}

func TestCPUTimeOfHostsAndDPUs(t *testing.T) {
	p := resultstest.Point(func(p *results.Point) {
		p.ServerCPUNsPerOp, p.ClientCPUNsPerOp = 400, 200
		inHalves(p)
	})
	if host, dpu := p.HostCPUNsPerOp(), p.DPUCPUNsPerOp(); !near(host, 500) || !near(dpu, 170) {
		t.Errorf("found %v and %v, want 500 and 170", host, dpu)
	}
}

// TestCPUTimeOfUnknownMachines: without the machine of a part, no sum of hosts or DPUs is known. The
// applications of several clients are one part on several machines.
func TestCPUTimeOfUnknownMachines(t *testing.T) {
	for name, c := range map[string]struct {
		part, clients int
		known         bool
	}{
		"a server that ran already":    {3, 1, false},
		"an application":               {0, 1, false},
		"applications of two clients":  {0, 2, true},
		"a server, beside two clients": {3, 2, false},
	} {
		p := resultstest.Point(func(p *results.Point) {
			inHalves(p)
			p.Parts[c.part].Node = results.Node{}
			p.Clients = make([]results.ClientShare, c.clients)
		})
		if host, dpu := p.HostCPUNsPerOp(), p.DPUCPUNsPerOp(); (host > 0) != c.known || (dpu > 0) != c.known {
			t.Errorf("%s: found %v and %v, known: %v", name, host, dpu, c.known)
		}
	}
}

func near(a, b float64) bool { return a >= b*0.999999 && a <= b*1.000001 }
