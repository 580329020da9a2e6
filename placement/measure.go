package placement

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"dpukv/client"
	"dpukv/results"
)

// measure makes one point with a server and clients of its own, so that no point inherits
// another's memory or connections.
func (r *runner) measure(ctx context.Context, pt *Point) (res *result, err error) {
	if err := r.machines.wire(ctx, pt.Submode); err != nil {
		return nil, err
	}
	c, err := r.machines.bed.cast(pt.Placement)
	if err != nil {
		return nil, err
	}
	r.tell("begin", pt)
	defer r.tell("end", pt)
	way, err := r.lay(ctx, pt, &c)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil { // whatever it was, the next point gets a datapath set up anew
			err = errors.Join(err, r.machines.clear())
		}
	}()
	e, err := r.assemble(ctx, &c)
	if err != nil {
		return nil, err
	}
	defer func() {
		closed := e.close()
		err = errors.Join(e.dead(e.lost(err)), closed)
	}()
	doubts, err := r.settle(e, pt)
	if err != nil {
		return nil, err
	}
	up, err := r.serve(ctx, e, &c, pt)
	if err != nil {
		return nil, err
	}
	serving, cancel := untilEnded(ctx, e.server.process, "serve "+pt.Store)
	defer cancel()
	res, err = r.load(serving, e, &c, pt, up, way)
	if err != nil && ctx.Err() == nil { // who interrupts does not wait for reasons
		err = blame(ctx, way, rootCause(serving, err))
	}
	if res != nil {
		r.complete(pt, &res.Point, e, up, slices.Concat(way.doubts(e), doubts))
	}
	return res, err
}

// tell lets a test look on.
func (r *runner) tell(event string, pt *Point) {
	if r.observe != nil {
		r.observe(event, pt, r.machines)
	}
}

// serve brings the server up.
func (r *runner) serve(ctx context.Context, e *ensemble, c *cast, pt *Point) (*ready, error) {
	spec, err := pt.serverSpec(c)
	if err != nil {
		return nil, err
	}
	e.server.send(&configure{CPUs: e.server.end.cpus, Server: spec})
	return expect[*ready](ctx, e.server.process, r.patience.server, "start the "+pt.Store+" server")
}

// load takes the clients from the preload to their result. The result of one that failed is
// returned too, beside the error.
func (r *runner) load(ctx context.Context, e *ensemble, c *cast, pt *Point, up *ready, way *path) (*result, error) {
	prepare := func(ctx context.Context, i int) error { return r.prepare(ctx, e, c, pt, up, i) }
	// One stores the keys, then the others look for them; no load may begin before all have found them.
	if err := prepare(ctx, 0); err != nil {
		return nil, err
	}
	if err := e.each(ctx, 1, prepare); err != nil {
		return nil, err
	}
	before, err := r.count(ctx, e)
	if err != nil {
		return nil, err
	}
	if err := way.begin(ctx); err != nil {
		return nil, err
	}
	shares := make([]share, len(e.clients))
	told := time.Now()
	for _, m := range e.clients {
		m.send(&start{})
	}
	r.tell("go", pt)
	err = e.each(ctx, 0, func(ctx context.Context, i int) (err error) {
		shares[i], err = r.share(ctx, e.clients[i], pt)
		return err
	})
	if err != nil {
		return firstFailed(shares), err
	}
	after, err := r.count(ctx, e)
	if err != nil {
		return nil, err
	}
	err = e.each(ctx, 0, func(ctx context.Context, i int) error {
		if err := r.collect(ctx, &shares[i]); err != nil {
			return err
		}
		return pt.clientConfig(i, len(e.clients)).usedAsAsked(&shares[i].res.Point)
	})
	if err != nil {
		return firstFailed(shares), err
	}
	res, err := merge(shares, told, pt)
	if err == nil {
		noteServerMoved(&res.Point, after.Since(&before))
		err = way.end(ctx, &res.Point)
	}
	return res, err
}

// prepare gives a client its part, and waits until it has stored the keys, or found those that another stored.
func (r *runner) prepare(ctx context.Context, e *ensemble, c *cast, pt *Point, up *ready, i int) error {
	spec, err := pt.clientSpec(up, e, c, i)
	if err != nil {
		return err
	}
	m := e.clients[i]
	m.send(&configure{CPUs: m.end.cpus, Client: spec})
	task := fmt.Sprintf("preload %d keys", pt.Keys)
	if spec.Preloaded {
		task = fmt.Sprintf("find %d keys", pt.Keys)
	}
	patience := r.patience.client + time.Duration(pt.Keys)*r.patience.perKey
	_, err = follow[*ready](ctx, m.process, patience, task, r.report.of(m.process.node))
	return err
}

// share is what one client did, and when it began by the clock here.
type share struct {
	*member
	res   *result
	began time.Time
}

// share follows a client that was told to go until it has measured. One that fails has a result at once.
func (r *runner) share(ctx context.Context, m *member, pt *Point) (share, error) {
	s := share{member: m, began: time.Now()}
	live, begun := r.report.of(m.process.node), false
	window := pt.Warmup + pt.Duration
	_, err := follow[*measured](ctx, m.process, window+r.patience.result, fmt.Sprintf("measure for %v", window), func(p *progress) {
		if !begun && p.Phase == string(client.PhaseMeasure) {
			s.began, begun = time.Now(), true
		}
		live(p)
	})
	var failed *failedPoint
	if errors.As(err, &failed) {
		s.res = failed.res
	}
	return s, err
}

// collect lets a client that has measured close its connections, and takes its result.
func (r *runner) collect(ctx context.Context, s *share) (err error) {
	s.send(&release{})
	s.res, err = expect[*result](ctx, s.process, r.patience.result, "tell its result")
	if err == nil && s.res.Point.Status != results.StatusOK {
		err = fmt.Errorf("node %s: %s", s.process.node, s.res.Point.Error)
	}
	return err
}

// firstFailed is the result of a client that says itself that it failed.
func firstFailed(shares []share) *result {
	for _, s := range shares {
		if s.res != nil && s.res.Point.Status != results.StatusOK {
			return s.res
		}
	}
	return nil
}

// untilEnded ends a context when p does, with the reason.
func untilEnded(ctx context.Context, p *process, task string) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-p.ended:
			cancel(p.obituary(task))
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// rootCause prefers the server's end over what a client says of it ("connection reset"), which often comes first.
func rootCause(ctx context.Context, err error) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(200 * time.Millisecond):
		return err
	}
}

func (pt *Point) serverSpec(c *cast) (*serverSpec, error) {
	spec := &serverSpec{
		Store: pt.Store, Listen: net.JoinHostPort(c.server.Address, "0"), Workers: pt.ServerThreads,
		Keys: pt.Keys, KeyBytes: pt.KeyBytes, ValueBytes: pt.ValueBytes,
		Attach: pt.Attach,
		Hash:   pt.Hash, Mode: pt.Mode, Access: pt.Access, RDMA: c.server.RDMA,
	}
	var err error
	if stores[pt.Store].rdma {
		spec.RDMA.Device, err = c.device(&c.server)
	}
	return spec, err
}

// clientConfig is what one of several clients is to do: the rate is shared out.
func (pt *Point) clientConfig(i, clients int) *Point {
	one := *pt
	one.RateOps /= float64(clients)
	return &one
}

func (pt *Point) clientSpec(up *ready, e *ensemble, c *cast, i int) (*clientSpec, error) {
	clients, node := len(e.clients), &c.clients[i]
	spec := &clientSpec{
		Store: pt.Store, Protocol: pt.Protocol, Addr: up.Addr, ServerCPUs: up.Facts.CPUs, SameHost: e.clients[i].sameKernel(e.server), RDMA: node.RDMA,
		Load: pt.clientConfig(i, clients).Load, Duration: pt.Duration, Preloaded: i > 0,
		Threads: pt.ClientThreads, FirstThread: i * pt.ClientThreads, AllThreads: clients * pt.ClientThreads,
	}
	var err error
	if stores[pt.Store].rdma {
		spec.RDMA.Device, err = c.device(node)
	}
	return spec, err
}

// asked fills in what a point was to be.
func (pt *Point) asked(p *results.Point) {
	p.Schema, p.ID, p.Repeat = results.SchemaVersion, pt.ID, pt.Repeat
	p.Store, p.Placement, p.Submode, p.Filter = pt.Store, pt.Placement, pt.Submode, pt.Filter
	p.Load, p.ServerThreads, p.ClientThreads = pt.Load, pt.ServerThreads, pt.ClientThreads
}

// complete adds to what the clients counted what only the orchestrator knows.
func (r *runner) complete(pt *Point, p *results.Point, e *ensemble, up *ready, doubts []string) {
	pt.asked(p)
	p.ServerVersion, p.ServerAddr, p.ClientVersion = up.Facts.Version, up.Addr, r.Version
	p.ServerCommand = up.Facts.Command
	p.ServerNode = e.server.end.node.result()
	if p.EmulatedTestbed = r.machines.bed.emulated(); p.EmulatedTestbed != "" {
		p.Emulated = true
	}
	if pt.Attach != "" {
		doubts = append(doubts, "the server at "+pt.Attach+" ran already: how it was started, and what else it does, is not known here")
	}
	emulators := e.emulatorDoubts()
	p.Emulated = p.Emulated || emulators != nil
	p.Warnings = slices.Concat(emulators, doubts, p.Warnings)
}

// result is the node as a point names it.
func (n *Node) result() results.Node {
	return results.Node{Node: n.Name, Kind: n.Kind, Generation: n.Generation, Profile: n.Profile}
}

// fail makes a point one that failed, and keeps of it what is there.
func (pt *Point) fail(res *result, err error, at time.Time) *result {
	if res == nil {
		res = &result{Point: results.Point{StartedAt: at, Warnings: []string{}}}
		pt.asked(&res.Point)
	}
	res.Point.Status, res.Point.Error, res.Hlog = results.StatusFailed, err.Error(), nil
	return res
}
