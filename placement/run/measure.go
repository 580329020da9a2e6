package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"dpukv/client"
	"dpukv/kvs"
	"dpukv/kvs/stores"
	"dpukv/placement/neighbour"
	"dpukv/placement/node"
	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
	"dpukv/results"
)

// measurement measures one point. It has its own server and clients, so that no point inherits
// another's memory or connections.
type measurement struct {
	*runner
	pt     *sweep.Point
	nodes  testbed.Assignment
	cards  pointCards
	path   *path
	all    *pointProcesses
	server *node.Ready // the server's message once it accepted load
	// proxyAddr is where the client finds its proxy, if it has one.
	proxyAddr string

	beside neighbourWork
}

// measure measures one point.
func measure(ctx context.Context, r *runner, pt *sweep.Point) (res *node.Result, err error) {
	m := &measurement{runner: r, pt: pt}
	if m.nodes, err = assign(&r.machines.Bed, &pt.Config); err != nil {
		return nil, err
	}
	m.tell("begin")
	defer m.tell("end")
	defer func() {
		if err != nil { // whatever the cause, the next point sets its datapath up anew
			err = errors.Join(err, r.machines.Clear())
		}
	}()
	if err := m.wayThere(ctx); err != nil {
		return nil, err
	}
	m.report.does("start the processes")
	if m.all, err = m.start(ctx); err != nil {
		return nil, err
	}
	defer func() {
		closed := m.all.close()
		err = errors.Join(m.all.dead(m.all.lost(err)), closed)
	}()
	if pt.IsProbe() {
		return m.probe(ctx)
	}
	return m.run(ctx)
}

// start starts the processes, the neighbour's included.
func (m *measurement) start(ctx context.Context) (*pointProcesses, error) {
	nodes := m.nodes.All()
	if m.pt.Neighbour == "" {
		all, err := startAll(ctx, nodes, m.begin)
		if err == nil {
			all.takeHalves(&m.nodes)
		}
		return all, err
	}
	host, err := neighbour.Host(&m.machines.Bed, &m.nodes)
	if err != nil {
		return nil, err
	}
	all, err := startAll(ctx, append(nodes, host), m.begin)
	if err == nil {
		all.takeNeighbour()
		all.takeHalves(&m.nodes)
	}
	return all, err
}

// wayThere sets up the way between the ends. A probe of one machine has none, and no datapath that
// uses CPUs beside it.
func (m *measurement) wayThere(ctx context.Context) (err error) {
	if len(m.nodes.Clients) == 0 {
		return m.machines.Clear()
	}
	if err := m.machines.Wire(ctx, m.pt.Submode); err != nil {
		return err
	}
	if m.nodes, m.cards, err = visitCards(ctx, m.machines, m.pt, &m.nodes); err != nil {
		return err
	}
	m.report.does("set up submode %s", m.pt.Submode)
	if m.path, err = preparePath(ctx, m.runner, m.pt, &m.nodes, m.cards); err != nil {
		return err
	}
	return m.path.checkFullSize(ctx, m.machines)
}

// run takes the processes from their start to the result.
func (m *measurement) run(ctx context.Context) (*node.Result, error) {
	warnings, err := assignCPUs(m.machines, m.all, m.pt, &m.nodes)
	if err != nil {
		return nil, err
	}
	if err := m.serve(ctx); err != nil {
		return nil, err
	}
	warnings = append(warnings, m.placeNeighbour()...)
	halves, cancel := m.watchHalves(ctx)
	defer cancel()
	_, task := m.serverTasks()
	serving, cancel := untilEnded(halves, m.all.server.Process, task)
	defer cancel()
	res, err := m.load(serving)
	if err != nil && ctx.Err() == nil { // an interrupted user does not wait for the cause
		err = blame(ctx, m.path, rootCause(serving, err))
	}
	if res != nil {
		m.complete(&res.Point, slices.Concat(m.cards.warnings(m.pt.Submode, &m.nodes),
			m.path.warnings(m.all), warnings))
	}
	return res, err
}

// tell informs a test of an event.
func (m *measurement) tell(event string) {
	if m.observe != nil {
		m.observe(event, m.pt, m.machines)
	}
}

// serve starts the server.
func (m *measurement) serve(ctx context.Context) error {
	spec, err := serverSpecOf(m.pt, &m.nodes)
	if err != nil {
		return err
	}
	if m.pt.Attach != "" {
		spec.Credentials = m.Credentials
	}
	if err := m.serveStore(ctx, spec); err != nil {
		return err
	}
	start, _ := m.serverTasks()
	m.report.does("%s", start)
	m.all.server.Send(&node.Configure{CPUs: m.all.server.end.cpus, Server: spec})
	m.server, err = node.Expect[*node.Ready](ctx, m.all.server.Process, m.timeouts.Server, start)
	if err != nil {
		return err
	}
	return m.serveProxy(ctx)
}

// load takes the clients from the preload to their result. If a client failed, load returns that
// client's result together with the error.
func (m *measurement) load(ctx context.Context) (*node.Result, error) {
	// One client stores the keys, then the others look for them. No load begins before all have
	// found them.
	if err := m.prepare(ctx, 0); err != nil {
		return nil, err
	}
	if err := m.all.each(ctx, 1, m.prepare); err != nil {
		return nil, err
	}
	disturbed, err := m.startNeighbour(ctx)
	if err != nil {
		return nil, err
	}
	before, err := count(ctx, m.all.server.Process, m.timeouts.Result)
	if err != nil {
		return nil, err
	}
	if err := m.path.begin(ctx); err != nil {
		return nil, err
	}
	throttledBefore, err := m.machines.Throttling()
	if err != nil {
		return nil, err
	}
	if err := m.beside.begin(ctx); err != nil {
		return nil, err
	}
	shares := make([]share, len(m.all.clients))
	told := time.Now()
	for _, c := range m.all.clients {
		c.Send(&node.Begin{})
	}
	m.tell("go")
	if err := m.follow(disturbed, shares); err != nil {
		return firstFailed(shares), err
	}
	if err := m.endNeighbour(ctx); err != nil {
		return nil, err
	}
	throttled, err := m.machines.Throttling()
	if err != nil {
		return nil, err
	}
	after, err := count(ctx, m.all.server.Process, m.timeouts.Result)
	if err != nil {
		return nil, err
	}
	if err := m.collect(ctx, shares); err != nil {
		return firstFailed(shares), err
	}
	res, err := merge(shares, told, m.pt)
	if err == nil {
		noteServer(&res.Point, before, after)
		m.beside.note(&res.Point)
		res.Point.Warnings = append(res.Point.Warnings,
			throttled.WarningsSince(throttledBefore)...)
		err = m.path.end(ctx, &res.Point)
	}
	return res, err
}

// prepare gives a client its task. It waits until the client has stored the keys, or found the keys
// of another client.
func (m *measurement) prepare(ctx context.Context, i int) error {
	spec, err := m.clientSpec(i)
	if err != nil {
		return err
	}
	c := m.all.clients[i]
	c.Send(&node.Configure{CPUs: c.end.cpus, Client: spec})
	task := fmt.Sprintf("preload %d keys", m.pt.Keys)
	if spec.Preloaded {
		task = fmt.Sprintf("find %d keys", m.pt.Keys)
	}
	_, err = node.Follow[*node.Ready](ctx, c.Process, m.timeouts.Client, task,
		m.report.of(c.Process.Node))
	return err
}

// requestsTimeout bounds a measurement of a number of requests, whose length nobody knows. A client
// ends itself if answers stay away.
const requestsTimeout = 24 * time.Hour

// follow follows the clients from go until each has measured and its load is over. Of several, no
// load ends before all have measured.
func (m *measurement) follow(ctx context.Context, shares []share) error {
	for i, c := range m.all.clients {
		shares[i] = share{member: c, began: time.Now()}
	}
	load := m.pt.Warmup + m.pt.Duration
	timeout, task := load+m.timeouts.Result, fmt.Sprintf("measure for %v", load)
	if m.pt.Requests > 0 {
		timeout, task = requestsTimeout, fmt.Sprintf("measure %d requests", m.pt.Requests)
	}
	if len(shares) > 1 {
		err := m.all.each(ctx, 0, func(ctx context.Context, i int) error {
			return followTo[*node.PeriodOver](ctx, m, &shares[i], timeout, task)
		})
		if err != nil {
			return err
		}
		for _, c := range m.all.clients {
			c.Send(&node.EndLoad{})
		}
		timeout, task = m.timeouts.Result, "end its load"
	}
	return m.all.each(ctx, 0, func(ctx context.Context, i int) error {
		return followTo[*node.Measured](ctx, m, &shares[i], timeout, task)
	})
}

// followTo follows a client up to a message. A client that fails has a result at once.
func followTo[M node.Message](
	ctx context.Context, m *measurement, s *share, timeout time.Duration, task string,
) error {
	live := m.report.of(s.Process.Node)
	_, err := node.Follow[M](ctx, s.Process, timeout, task, func(p *node.Progress) {
		if !s.begun && p.Phase == string(client.PhaseMeasure) {
			s.began, s.begun = time.Now(), true
		}
		live(p)
	})
	var failed *node.FailedPoint
	if errors.As(err, &failed) {
		s.res = failed.Res
	}
	return err
}

// collect takes the clients' results, and compares the used values with the requested ones.
func (m *measurement) collect(ctx context.Context, shares []share) error {
	return m.all.each(ctx, 0, func(ctx context.Context, i int) error {
		if err := shares[i].collect(ctx, m.timeouts.Result); err != nil {
			return err
		}
		if err := m.verifyHalves(&shares[i].res.Point); err != nil {
			return err
		}
		return m.pt.OfOneClient(len(shares)).VerifyUsed(&shares[i].res.Point)
	})
}

// clientSpec returns the task of one of the clients.
func (m *measurement) clientSpec(i int) (*node.ClientSpec, error) {
	clients, on := len(m.all.clients), &m.nodes.Clients[i]
	spec := &node.ClientSpec{
		Store: m.pt.Store,
		DialConfig: kvs.DialConfig{
			Addr: m.server.Addr, Protocol: m.pt.Protocol, ServerCPUs: m.server.Facts.CPUs,
			Device: on.RDMA.KVS(),
		},
		Way:      wayTo(&m.nodes.Server, on, m.pt.Attach),
		SameHost: m.all.clients[i].sameKernel(m.all.server), SharedServer: m.sharesServer(),
		Load: m.pt.OfOneClient(clients).Load, Duration: m.pt.Duration, Preloaded: i > 0,
		Threads: m.pt.ClientThreads, FirstThread: i * m.pt.ClientThreads,
		AllThreads: clients * m.pt.ClientThreads,
	}
	if m.pt.Attach != "" {
		spec.Credentials = m.Credentials
	}
	var err error
	switch {
	case m.nodes.Proxy != nil:
		spec.Proxy, spec.Answers = m.proxyAddr, m.pt.Answers
		spec.ProxyWay = wayTo(m.nodes.Proxy, on, "")
		spec.Device, err = laneDevice(on, m.nodes.Proxy)
	case stores.OverVerbs(m.pt.Store):
		spec.Device.Name, err = m.nodes.Device(on)
	}
	return spec, err
}

// complete adds the facts that only the orchestrator knows to the clients' counts.
func (m *measurement) complete(p *results.Point, warnings []string) {
	m.pt.Asked(p)
	p.ServerVersion, p.ServerAddr, p.ClientVersion = m.server.Facts.Version, m.server.Addr,
		m.Version
	p.ServerCommand = m.server.Facts.Command
	m.completeMachines(p)
	m.noteParts(p)
	warnings = append(warnings, laneWarnings(p)...)
	if m.pt.Attach != "" {
		p.Attached = true
		warnings = append(warnings,
			"the server at "+m.pt.Attach+
				" ran already: how it was started, and what else it does, is not known here")
		if text := m.found.Warning(); text != "" {
			warnings = append(warnings, text)
		}
	}
	if device, err := m.nodes.Device(&m.nodes.Server); err == nil {
		warnings = append(warnings, rdmaWarnings(m.pt.Submode, stores.OverVerbs(m.pt.Store),
			device)...)
	}
	m.doubt(p, warnings)
}

// completeMachines adds the machines of the ends.
func (m *measurement) completeMachines(p *results.Point) {
	p.ServerNode, p.Cards = resultNode(m.all.server.end.node), m.cards.results()
	p.Machine, p.Hosts = m.all.machine(m.pt.Attach)
	if p.EmulatedTestbed = m.machines.Bed.EmulatedText(); p.EmulatedTestbed != "" {
		p.Emulated = true
		// The counters are those of the machine that runs the emulation.
		p.ServerEnergyUJPerOp, p.ServerEnergyBy = 0, ""
		p.ClientEnergyUJPerOp, p.ClientEnergyBy = 0, ""
	}
}

// doubt puts the orchestrator's warnings before those of the ends.
func (m *measurement) doubt(p *results.Point, warnings []string) {
	emulators := m.all.emulatorWarnings()
	p.Emulated = p.Emulated || emulators != nil
	p.Warnings = slices.Concat(emulators, warnings, p.Warnings)
}

// firstFailed returns the result of the first client that reports its own failure.
func firstFailed(shares []share) *node.Result {
	for _, s := range shares {
		if s.res != nil && s.res.Point.Status != results.StatusOK {
			return s.res
		}
	}
	return nil
}

// untilEnded ends a context when p does, with the reason.
func untilEnded(
	ctx context.Context, p *node.Process, task string,
) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-p.Ended:
			cancel(p.ExitReason(task))
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// rootCause prefers the server's end over the client's view of it ("connection reset"), which often
// comes first.
func rootCause(ctx context.Context, err error) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(time.Second):
		return err
	}
}

// serverSpecOf returns the server's task for a point.
func serverSpecOf(pt *sweep.Point, nodes *testbed.Assignment) (*node.ServerSpec, error) {
	spec := &node.ServerSpec{
		Store: pt.Store, Attach: pt.Attach,
		ServerConfig: kvs.ServerConfig{
			Listen: nodes.Server.Listen(), Workers: pt.ServerThreads,
			Items: pt.Keys, KeyBytes: pt.KeyBytes, ValueBytes: pt.RoomBytes(),
			MaxValueBytes: pt.MaxValueBytes(), GrowthBytes: growthBytes(pt),
			Hash: pt.Hash, Mode: pt.Mode, Access: pt.Access, Device: nodes.Server.RDMA.KVS(),
		},
	}
	var err error
	if stores.OverVerbs(pt.Store) {
		spec.Device.Name, err = nodes.Device(&nodes.Server)
	}
	return spec, err
}

// growthBytes is [kvs.ServerConfig.GrowthBytes] of a point.
func growthBytes(pt *sweep.Point) int {
	if pt.ValueSizes == "" {
		return 0
	}
	const header = 16
	return pt.Workload.GrowthBytes(pt.KeyBytes + header)
}

// resultNode returns the node as a point names it.
func resultNode(n *testbed.Node) results.Node {
	return results.Node{Node: n.Name, Kind: n.Kind, Generation: n.Generation, Profile: n.Profile}
}

// failedResult returns the result of a failed point, with the data at hand.
func failedResult(pt *sweep.Point, res *node.Result, err error, at time.Time) *node.Result {
	if res == nil {
		res = &node.Result{Point: results.Point{StartedAt: at, Warnings: []string{}}}
		pt.Asked(&res.Point)
	}
	res.Point.Status, res.Point.Error, res.Hlog = results.StatusFailed, err.Error(), nil
	return res
}
