package run

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"dpukv/kvs"
	"dpukv/kvs/stores"
	"dpukv/placement/node"
	"dpukv/placement/submode"
	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
	"dpukv/results"
)

// engineThreads is the number of threads of an engine.
func engineThreads(c *sweep.Config) int { return cmp.Or(c.EngineThreads, c.ServerThreads) }

// threadsOf returns the number of threads of a process of a point; 0: as many as it has CPUs.
func threadsOf(pt *sweep.Point, nodes *testbed.Assignment, e *end) int {
	switch {
	case e.role == roleStore:
		return pt.ServerThreads
	case e.role == roleProxy:
		return pt.ClientThreads
	case e.server && nodes.Store != nil:
		return engineThreads(&pt.Config)
	}
	return pt.Threads(e.server)
}

// serverTasks names the tasks of the process that clients connect to.
func (m *measurement) serverTasks() (start, serve string) {
	if m.all.store != nil {
		engine := "the engine of " + m.pt.Store
		return "start " + engine, "serve as " + engine
	}
	return "start the " + m.pt.Store + " server", "serve " + m.pt.Store
}

// serveStore starts the store half, and makes the server's task that of its engine.
func (m *measurement) serveStore(ctx context.Context, engine *node.ServerSpec) error {
	if m.all.store == nil {
		return nil
	}
	half := *engine
	half.Half, half.Listen = kvs.PartStore, m.nodes.Store.Listen()
	var err error
	half.Device, err = laneDevice(m.nodes.Store, &m.nodes.Server)
	if err != nil {
		return err
	}
	half.EngineThreads = engineThreads(&m.pt.Config)
	half.Answers, half.Wait = m.pt.Answers, m.pt.Wait
	m.report.does("start the store half of %s", m.pt.Store)
	m.all.store.Send(&node.Configure{CPUs: m.all.store.end.cpus, Server: &half})
	ready, err := node.Expect[*node.Ready](ctx, m.all.store.Process, m.timeouts.Server,
		"start the store half of "+m.pt.Store)
	if err != nil {
		return err
	}
	engine.Half, engine.StoreAddr, engine.EngineThreads = kvs.PartEngine, ready.Addr,
		half.EngineThreads
	engine.Wait = half.Wait
	engine.Device, err = laneDevice(&m.nodes.Server, m.nodes.Store)
	return err
}

// serveProxy starts the network half of the client, and returns its address.
func (m *measurement) serveProxy(ctx context.Context) (err error) {
	if m.all.proxy == nil {
		return nil
	}
	spec := &node.ProxySpec{Store: m.pt.Store, ProxyConfig: kvs.ProxyConfig{
		Listen: m.nodes.Proxy.Listen(), Server: m.server.Addr, Threads: m.pt.ClientThreads,
		Wait: m.pt.Wait,
	}}
	if spec.Device, err = laneDevice(m.nodes.Proxy, &m.nodes.Clients[0]); err != nil {
		return err
	}
	m.report.does("start the proxy of %s", m.pt.Store)
	m.all.proxy.Send(&node.Configure{CPUs: m.all.proxy.end.cpus, Proxy: spec})
	ready, err := node.Expect[*node.Ready](ctx, m.all.proxy.Process, m.timeouts.Server,
		"start the proxy of "+m.pt.Store)
	if err == nil {
		m.proxyAddr = ready.Addr
	}
	return err
}

// watchHalves ends the context when a half ends.
func (m *measurement) watchHalves(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	for _, half := range []*member{m.all.store, m.all.proxy} {
		if half != nil {
			var stop context.CancelFunc
			ctx, stop = untilEnded(ctx, half.Process, "serve as the "+half.end.role)
			cancel = both(stop, cancel)
		}
	}
	return ctx, cancel
}

func both(a, b context.CancelFunc) context.CancelFunc { return func() { a(); b() } }

// laneDevice is the device of a node for the lanes to another one.
func laneDevice(n, other *testbed.Node) (d kvs.Device, err error) {
	d = n.RDMA.KVS()
	d.Name, err = testbed.LaneDevice(n, other)
	return d, err
}

// checkHalves refuses halves that the store or the path cannot have.
func checkHalves(s *sweep.Sweep, t *testbed.Testbed) error {
	for _, c := range s.Configs() {
		nodes, err := t.Assign(c.Placement)
		if err != nil {
			continue // said elsewhere
		}
		if err := checkHalf(s, t, &c, &nodes); err != nil {
			return err
		}
	}
	return nil
}

// checkHalf refuses a configuration whose halves cannot be measured.
func checkHalf(
	s *sweep.Sweep, t *testbed.Testbed, c *sweep.Config, nodes *testbed.Assignment,
) error {
	at := s.Place("placement", c.Placement)
	if !nodes.Split() {
		if c.EngineThreads != 0 || c.Answers != "" || c.Wait != "" {
			return fmt.Errorf("%splacement: found %s with engine_threads, answers or wait, "+
				"allowed: a placement with halves", at, c.Placement)
		}
		return nil
	}
	if err := checkSplit(at, c); err != nil {
		return err
	}
	if err := checkEngine(s, c, nodes); err != nil {
		return err
	}
	if err := testbed.CheckLanes(t, nodes); err != nil {
		return fmt.Errorf("%slanes: %w", at, err)
	}
	return nil
}

// checkSplit refuses halves that the store, the server or the path cannot have.
func checkSplit(at string, c *sweep.Config) error {
	st, err := stores.Named(c.Store)
	switch {
	case err != nil:
		return err
	case st.Halves == nil:
		return fmt.Errorf("%splacement: found %s with %s, allowed: a store that can be split (%v)",
			at, c.Placement, c.Store, stores.NamesOf(func(st *kvs.Store) bool {
				return st.Halves != nil
			}))
	case c.Attach != "":
		return fmt.Errorf("%splacement: found %s with attach, allowed: a whole server", at,
			c.Placement)
	case c.Submode != submode.OffPath && c.Submode != submode.Direct:
		return fmt.Errorf("%splacement: found %s in submode %s, allowed: %s, %s; a DPU that runs "+
			"a half is a machine of its own", at, c.Placement, c.Submode, submode.OffPath,
			submode.Direct)
	}
	return nil
}

// checkEngine refuses threads that an engine or its store half cannot have.
func checkEngine(s *sweep.Sweep, c *sweep.Config, nodes *testbed.Assignment) error {
	at := s.Place("engine_threads", fmt.Sprint(c.EngineThreads))
	switch {
	case nodes.Store == nil && c.EngineThreads != 0:
		return fmt.Errorf("%sengine_threads: found %d with placement %s, allowed: a placement "+
			"with an engine", at, c.EngineThreads, c.Placement)
	case nodes.Store != nil && c.Access != "erew":
		return fmt.Errorf("%saccess: found %s with placement %s, allowed: erew",
			s.Place("access", c.Access), c.Access, c.Placement)
	case nodes.Store != nil && engineThreads(c)%c.ServerThreads != 0:
		return fmt.Errorf("%sengine_threads: found %d with server_threads: %d, allowed: a "+
			"multiple of these", at, c.EngineThreads, c.ServerThreads)
	}
	return nil
}

// verifyHalves fails if the parts that were used are not those of the placement, or if their lanes
// pass another device than the testbed's.
func (m *measurement) verifyHalves(used *results.Point) error {
	want := m.nodes.Store != nil
	if (used.Lanes != nil) != want {
		return fmt.Errorf("placement %s: found a server whose halves are %v, wanted %v",
			m.pt.Placement, used.Lanes != nil, want)
	}
	if want = m.nodes.Proxy != nil; (used.ProxyLanes != nil) != want {
		return fmt.Errorf("placement %s: found a client whose proxy is %v, wanted %v",
			m.pt.Placement, used.ProxyLanes != nil, want)
	}
	if used.Lanes != nil {
		if err := verifyLanes("lanes", used.Lanes, &m.nodes.Server, m.nodes.Store); err != nil {
			return err
		}
	}
	if used.ProxyLanes != nil {
		return verifyLanes("proxy_lanes", used.ProxyLanes, &m.nodes.Clients[0], m.nodes.Proxy)
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
func (m *measurement) noteParts(p *results.Point) {
	for i := range p.Parts {
		part := &p.Parts[i]
		server := true
		switch part.Part {
		case kvs.PartApplication:
			server = false
			part.Node = resultNode(m.all.clients[0].end.node)
		case kvs.PartProxy:
			server = false
			part.Node = resultNode(m.all.proxy.end.node)
		case kvs.PartStore:
			part.Node = resultNode(m.all.store.end.node)
		default:
			part.Node = resultNode(m.all.server.end.node)
		}
		if m.pt.Attach != "" && server {
			part.Node = results.Node{} // it ran already, and nobody knows where
			continue
		}
		addPart(p, part, server)
	}
	if len(m.all.clients) > 1 {
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
func laneWarnings(p *results.Point) (warnings []string) {
	tell := func(l *results.Lanes, between string) {
		switch {
		case l == nil:
		case l.Provider == "shm":
			warnings = append(warnings, fmt.Sprintf("the lanes between %s are memory of this "+
				"machine (shm), which plays PCIe: their latency and bandwidth are not those of a "+
				"DPU", between))
		case l.Emulated:
			warnings = append(warnings, fmt.Sprintf("the lanes between %s pass RDMA in software "+
				"(%s), which plays PCIe: their latency, bandwidth and CPU time are not those of "+
				"a DPU", between, l.Provider))
		}
	}
	tell(p.Lanes, "engine and store")
	tell(p.ProxyLanes, "application and proxy")
	return warnings
}
