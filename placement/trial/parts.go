package trial

import (
	"fmt"
	"strings"

	"dpukv/kvs"
	"dpukv/placement/process"
	"dpukv/placement/testbed"
	"dpukv/results"
)

// verifyHalves fails if the parts that were used are not those of the placement, or if their lanes
// pass another device than the testbed's.
func verifyHalves(placement string, c *testbed.Assignment, used *results.Point) error {
	want := c.Store != nil
	if (used.Lanes != nil) != want {
		return fmt.Errorf("placement %s: found a server whose halves are %v, wanted %v",
			placement, used.Lanes != nil, want)
	}
	if want = c.Proxy != nil; (used.ProxyLanes != nil) != want {
		return fmt.Errorf("placement %s: found a client whose proxy is %v, wanted %v",
			placement, used.ProxyLanes != nil, want)
	}
	if used.Lanes != nil {
		if err := verifyLanes("lanes", used.Lanes, &c.Server, c.Store); err != nil {
			return err
		}
	}
	if used.ProxyLanes != nil {
		return verifyLanes("proxy_lanes", used.ProxyLanes, &c.Clients[0], c.Proxy)
	}
	return nil
}

// verifyLanes fails if lanes have another provider than the devices of their nodes.
func verifyLanes(name string, used *results.Lanes, n, other *testbed.Node) error {
	device, err := laneDevice(n, other)
	if err != nil {
		return err
	}
	if want, _, _ := strings.Cut(device.Name, ":"); used.Provider != want {
		return fmt.Errorf("%s: found the provider %s, wanted %s, as between the nodes %s and %s",
			name, used.Provider, want, n.Name, other.Name)
	}
	return nil
}

// noteParts names the machine of each part, and adds up their CPU time by the kind of machine.
func (s *storing) noteParts(p *results.Point) {
	for i := range p.Parts {
		part := &p.Parts[i]
		m := s.t.all.first()
		switch part.Part {
		case kvs.PartApplication:
			m = s.t.all.clients()[0]
		case kvs.PartProxy:
			m = s.t.all.named(process.Proxy)
		case kvs.PartStore:
			m = s.t.all.named(process.Store)
		}
		server := m.place.Role.Serves()
		if s.t.pt.Attach != "" && server {
			continue // it ran already, and nobody knows where
		}
		part.Node = resultNode(m.place.Node)
		addPart(p, part, server)
	}
	if len(s.t.all.clients()) > 1 {
		addClientParts(p)
	}
}

// addPart adds a part's CPU time to that of its kind of machine.
func addPart(p *results.Point, part *results.Part, server bool) {
	dpu := part.Node.Kind == testbed.KindDPU
	switch {
	case server && dpu:
		p.ServerDPUCPUNsPerOp += part.CPUNsPerOp
	case server:
		p.ServerHostCPUNsPerOp += part.CPUNsPerOp
	case dpu:
		p.ClientDPUCPUNsPerOp += part.CPUNsPerOp
	default:
		p.ClientHostCPUNsPerOp += part.CPUNsPerOp
	}
}

// addClientParts splits the CPU time of several clients by their machines. The applications' part
// has no machine then.
func addClientParts(p *results.Point) {
	p.ClientHostCPUNsPerOp, p.ClientDPUCPUNsPerOp = 0, 0
	for i := range p.Clients {
		c := &p.Clients[i]
		ns := c.CPUNsPerOp * float64(c.Ops) / float64(max(p.Ops, 1))
		if c.Kind == testbed.KindDPU {
			p.ClientDPUCPUNsPerOp += ns
		} else {
			p.ClientHostCPUNsPerOp += ns
		}
	}
	for i := range p.Parts {
		if p.Parts[i].Part == kvs.PartApplication {
			p.Parts[i].Node = results.Node{}
		}
	}
}

// laneWarnings tells what carries lanes in the place of a DPU's PCIe.
func laneWarnings(p *results.Point) (warnings results.Warnings) {
	note := func(format string, args ...any) {
		warnings = append(warnings, results.PlaysPCIe.Warn(format, args...))
	}
	tell := func(l *results.Lanes, between string) {
		switch {
		case l == nil:
		case l.Provider == "shm":
			note("the lanes between %s are memory of this machine (shm), which plays PCIe: their "+
				"latency and bandwidth are not those of a DPU", between)
		case l.Emulated:
			note("the lanes between %s pass RDMA in software (%s), which plays PCIe: their "+
				"latency, bandwidth and CPU time are not those of a DPU", between, l.Provider)
		}
	}
	tell(p.Lanes, "engine and store")
	tell(p.ProxyLanes, "application and proxy")
	return warnings
}
