package placement

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"dpukv/results"
)

// startError is that of a process that did not even come up: what it was to measure has no part in it.
type startError struct{ error }

// measure makes one point with a server and a client of its own, so that no point inherits
// another's memory or connections.
func (r *runner) measure(ctx context.Context, pt *Point) (res *result, err error) {
	nodes, err := r.testbed.pairFor(pt.Placement)
	if err != nil {
		return nil, err
	}
	cpus := planCPUs(r.cores, nodes, pt.ServerThreads)

	server, err := r.begin(ctx, &nodes.server, &configure{CPUs: cpus.server, Server: pt.serverSpec(&nodes.server)})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, server.end()) }()
	up, err := expect[*ready](ctx, server, r.patience.server, "start the "+pt.Store+" server")
	if err != nil {
		return nil, err
	}
	ctx, cancel := untilEnded(ctx, server, "serve "+pt.Store)
	defer cancel()

	client, err := r.begin(ctx, &nodes.client, &configure{CPUs: cpus.client, Client: pt.clientSpec(up.Addr, &nodes)})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, client.end()) }()
	res, err = r.load(ctx, client, pt)
	if err != nil {
		err = rootCause(ctx, err)
	} else {
		err = pt.usedAsAsked(&res.Point)
	}
	if res != nil {
		r.complete(pt, &res.Point, up, cpus)
	}
	return res, err
}

// begin starts a node's process, makes sure that it is this program, and gives it its part.
func (r *runner) begin(ctx context.Context, n *Node, part *configure) (*process, error) {
	argv, err := launch(n, r.command)
	if err != nil {
		return nil, err
	}
	p, err := startProcess(n.Name, argv, r.patience)
	if err != nil {
		return nil, startError{err}
	}
	h, err := expect[*hello](ctx, p, r.patience.hello, "say hello")
	if err == nil {
		err = r.recognize(n, h)
	}
	if err != nil {
		return nil, startError{errors.Join(err, p.end())}
	}
	p.send(part)
	return p, nil
}

// recognize refuses a node that runs another program: its points would be of that one.
func (r *runner) recognize(n *Node, h *hello) error {
	switch {
	case h.Protocol != protocolVersion:
		return fmt.Errorf("node %s: its dpukv (%s) speaks protocol %d, this one (%s) speaks %d: install this one there",
			n.Name, h.Version, h.Protocol, r.Version, protocolVersion)
	case h.Build != r.build:
		return fmt.Errorf("node %s: its dpukv is another build (%s, %s) than the one that sweeps (%s, %s): "+
			"was the binary replaced meanwhile? Continue with the one there is now",
			n.Name, h.Version, h.Build, r.Version, r.build)
	}
	r.meet(n, h)
	return nil
}

// load takes the client from its preload to its result.
func (r *runner) load(ctx context.Context, client *process, pt *Point) (*result, error) {
	preload := r.patience.client + time.Duration(pt.Keys)*r.patience.perKey
	if _, err := follow[*ready](ctx, client, preload, fmt.Sprintf("preload %d keys", pt.Keys), r.report.live); err != nil {
		return nil, err
	}
	client.send(&start{})
	window := pt.Warmup + pt.Duration
	res, err := follow[*result](ctx, client, window+r.patience.result, fmt.Sprintf("measure for %v", window), r.report.live)
	if err == nil && res.Point.Status != results.StatusOK {
		err = fmt.Errorf("node %s: %s", client.node, res.Point.Error)
	}
	return res, err
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

// rootCause prefers the server's end over what the client says of it ("connection reset"), which often comes first.
func rootCause(ctx context.Context, err error) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(200 * time.Millisecond):
		return err
	}
}

func (pt *Point) serverSpec(n *Node) *serverSpec {
	return &serverSpec{
		Store: pt.Store, Listen: net.JoinHostPort(n.Address, "0"), Workers: pt.ServerThreads,
		Keys: pt.Keys, KeyBytes: pt.KeyBytes, ValueBytes: pt.ValueBytes,
		Hash: pt.Hash, Mode: pt.Mode, Access: pt.Access,
	}
}

func (pt *Point) clientSpec(addr string, nodes *pair) *clientSpec {
	w, err := pt.workload()
	if err != nil {
		panic(err) // checked with the sweep
	}
	return &clientSpec{
		Store: pt.Store, Addr: addr, Workload: w,
		SameHost: nodes.client.Via == viaLocal && nodes.server.Via == viaLocal,
		Threads:  pt.ClientThreads, Connections: pt.Connections, Window: pt.Window, Batch: pt.Batch,
		RateOps: pt.RateOps, Hash: pt.Hash, Duration: pt.Duration, Warmup: pt.Warmup,
	}
}

// asked fills in what a point was to be.
func (pt *Point) asked(p *results.Point) {
	p.Schema, p.ID, p.Repeat = results.SchemaVersion, pt.ID, pt.Repeat
	p.Store, p.Placement, p.Submode = pt.Store, pt.Placement, pt.Submode
	p.GetRatio, p.Dist = pt.GetRatio, pt.Dist
	p.Keys, p.KeyBytes, p.ValueBytes = pt.Keys, pt.KeyBytes, pt.ValueBytes
	p.Batch, p.Window, p.Connections = pt.Batch, pt.Window, pt.Connections
	p.ServerThreads, p.ClientThreads = pt.ServerThreads, pt.ClientThreads
	p.RateOps, p.Hash, p.Seed, p.WarmupNs = pt.RateOps, pt.Hash, pt.Seed, int64(pt.Warmup)
}

// complete adds to what the client counted what only the orchestrator knows.
func (r *runner) complete(pt *Point, p *results.Point, up *ready, cpus cpuPlan) {
	pt.asked(p)
	p.ServerVersion, p.ServerAddr, p.ClientVersion = up.Facts.Version, up.Addr, r.Version
	p.Warnings = slices.Concat(r.emulatorDoubts(), cpus.warnings, p.Warnings)
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
