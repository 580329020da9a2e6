package redis

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"

	"dpukv/kvs"
	"dpukv/kvs/internal/installed"
	"dpukv/kvs/internal/pipeline"
	"dpukv/kvs/internal/sockets"
)

// These are the protocols for GETs.
const (
	Get  = "get"  // one command per key
	MGet = "mget" // one MGET per run of consecutive GETs in a batch
)

// Protocols are the values of [Options.Protocol].
var Protocols = []string{Get, MGet}

// Options tell a client how to use a server.
type Options struct {
	// CPUs are the CPUs that the server is known to be pinned to. None: those visible from here.
	CPUs []int
	// Protocol is one of Protocols; empty: Get.
	Protocol string
	// Credentials let the client in.
	Credentials kvs.Credentials
}

// Remote is a client's view of a Redis server, or of a cluster.
type Remote struct {
	store *product
	opts  Options
	nodes []*node   // of a cluster, its masters with slots
	slots slotTable // of a cluster
	facts kvs.Facts

	mu sync.Mutex // for the nodes' controls
}

var _ kvs.Remote = (*Remote)(nil)

// Dial asks the server at addr for its facts, whatever its product. If the server is one of a
// cluster, it also asks the other ones.
func Dial(ctx context.Context, addr string, opts Options) (*Remote, error) {
	return plain.dial(ctx, addr, opts)
}

func (p *product) dial(ctx context.Context, addr string, opts Options) (*Remote, error) {
	if opts.Protocol != "" && !slices.Contains(Protocols, opts.Protocol) {
		return nil, fmt.Errorf("protocol: found %q, allowed: %s", opts.Protocol,
			strings.Join(Protocols, ", "))
	}
	e, err := p.endpoints().Parse(addr, &opts.Credentials)
	if err != nil {
		return nil, fmt.Errorf("server address: %w", err)
	}
	r := &Remote{store: p, opts: opts}
	if err := r.connect(ctx, &e); err != nil {
		return nil, errors.Join(fmt.Errorf("%s at %s: %w", p.name, addr, err), r.Close())
	}
	r.facts = r.learn()
	if err := r.facts.Check(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s at %s: %w", p.name, addr, err), r.Close())
	}
	return r, nil
}

// connect connects to the server, or to the masters of its cluster.
func (r *Remote) connect(ctx context.Context, e *kvs.Endpoint) error {
	n, err := r.store.dialNode(ctx, e, &r.opts)
	if err != nil {
		return err
	}
	r.nodes = append(r.nodes, n)
	if !n.cluster {
		return nil
	}
	if err := r.fitsCluster(e); err != nil {
		return err
	}
	text, err := n.control.say("CLUSTER", "NODES")
	if err != nil {
		return explain(err, n.login(&r.opts))
	}
	t, err := parseTopology(strings.Join(text, ""), e.Addr)
	if err != nil {
		return err
	}
	err = n.control.Close() // the node may be a replica
	r.nodes, r.slots = nil, t.slots
	return errors.Join(err, r.connectMasters(ctx, e, t.masters))
}

func (r *Remote) connectMasters(ctx context.Context, e *kvs.Endpoint, masters []string) error {
	for _, addr := range masters {
		at := *e
		at.Addr = addr
		n, err := r.store.dialNode(ctx, &at, &r.opts)
		if err != nil {
			return fmt.Errorf("its cluster's node %s: %w", addr, err)
		}
		r.nodes = append(r.nodes, n)
	}
	return nil
}

// fitsCluster refuses what a cluster does not have.
func (r *Remote) fitsCluster(e *kvs.Endpoint) error {
	switch {
	case e.Network == "unix":
		return errors.New("found a cluster behind a Unix socket, allowed: the HOST:PORT of a " +
			"node, as the other nodes are reached over TCP")
	case e.DB != 0:
		return fmt.Errorf("found the database %d of a cluster, allowed: 0", e.DB)
	case r.opts.Protocol == MGet:
		return fmt.Errorf("protocol: found %s with a cluster, allowed: %s; MGET takes keys of one "+
			"slot only there", MGet, Get)
	}
	return nil
}

// clustered reports whether the keys have slots.
func (r *Remote) clustered() bool { return r.nodes[0].cluster }

// learn derives the facts from the nodes.
func (r *Remote) learn() kvs.Facts {
	first := r.nodes[0]
	f := kvs.Facts{
		Store: r.store.name, Version: first.called(), Transport: first.peer.Transport(),
		TLS: first.peer.Secured(first.control.Conn), Protocol: first.protocol,
		Partitions: len(r.nodes), Setup: kvs.Setup{Access: Access, Mode: first.mode}, MinHitRate: 1,
		MaxBatch: pipeline.MaxBatch, TTLUnit: ttlUnit, PID: first.pid, CPUs: r.opts.CPUs,
	}
	if r.opts.Protocol == MGet {
		f.Protocol += "+mget"
	}
	for _, n := range r.nodes {
		f.Workers += n.workers
		f.LogBytes += n.memory
		if n.mode == "cache" {
			f.Mode = n.mode // one that evicts suffices
		}
	}
	if f.CPUs == nil {
		f.CPUs = r.pinnedTo()
	}
	if r.clustered() {
		f.PID = 0
		for _, n := range r.nodes {
			f.ClusterNodes = append(f.ClusterNodes, n.peer.Addr)
		}
	}
	return f
}

// pinnedTo lists the CPUs of all nodes, or none if one is not known to be pinned.
func (r *Remote) pinnedTo() (all []int) {
	for _, n := range r.nodes {
		if n.cpus == nil {
			return nil
		}
		all = append(all, n.cpus...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Access is the access mode: one thread reads and writes everything, or a part that is its own.
const Access = "erew"

// Facts returns the facts from the time of Dial.
func (r *Remote) Facts() kvs.Facts { return r.facts }

// Stats asks the servers for their counters. Each is one worker.
func (r *Remote) Stats() (sum kvs.Stats, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, n := range r.nodes {
		s, err := n.stats()
		if err != nil {
			return kvs.Stats{}, err
		}
		sum.CPUNs += s.CPUNs
		sum.Workers = append(sum.Workers, s.Workers...)
		sum.Untold = append(sum.Untold, s.Untold...)
		sum.NoItems = sum.NoItems || s.NoItems
		for _, w := range s.Warnings {
			if r.clustered() {
				w = n.peer.Addr + ": " + w
			}
			sum.Warnings = append(sum.Warnings, w)
		}
	}
	if n := r.nodes[0]; !r.clustered() {
		sum.Threads = installed.Threads(&n.endpoint, n.pid, n.product.program)
	}
	return sum, nil
}

// Open connects a session.
func (r *Remote) Open(opts kvs.SessionOptions) (kvs.Session, error) {
	t := pipeline.Target{
		Timeout: timeout, Greet: r.greet,
		Wire: func() pipeline.Wire { return &resp{mget: r.opts.Protocol == MGet} },
	}
	for _, n := range r.nodes {
		t.Nodes = append(t.Nodes, pipeline.Node{Peer: n.peer, Workers: n.workers})
	}
	if r.clustered() {
		t.Route = r.slots.node
	}
	return pipeline.Open(t, opts)
}

// greet logs in on a fresh connection, with the protocol of the facts.
func (r *Remote) greet(nc net.Conn) error {
	n := r.nodes[0]
	l := n.login(&r.opts)
	if n.protocol == resp2 && *l == (login{variable: l.variable}) {
		return nil
	}
	protocol, err := newControl(nc).enter(l)
	if err == nil && protocol != n.protocol {
		err = fmt.Errorf("protocol: found %s before, now only %s", n.protocol, protocol)
	}
	return err
}

// Moved returns the traffic of the connections for counters.
func (r *Remote) Moved() (sum kvs.Moved) {
	for _, n := range r.nodes {
		one := sockets.MovedBy(n.control.Conn)
		sum.Sockets.Add(&one.Sockets)
	}
	return sum
}

// Close closes the connections for counters.
func (r *Remote) Close() error {
	var errs []error
	for _, n := range r.nodes {
		errs = append(errs, n.control.Close())
	}
	return errors.Join(errs...)
}
