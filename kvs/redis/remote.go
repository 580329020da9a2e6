package redis

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"

	"dpukv/kvs"
	"dpukv/kvs/internal/installed"
	"dpukv/kvs/internal/pipeline"
	"dpukv/kvs/internal/sockets"
)

// MaxBatch is the maximum number of operations per batch.
const MaxBatch = pipeline.MaxBatch

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
}

// Remote is a client's view of a Redis server.
type Remote struct {
	addr     string
	opts     Options
	protocol string // without options
	facts    kvs.Facts

	mu      sync.Mutex
	control *control
}

var _ kvs.Remote = (*Remote)(nil)

// Dial asks the server at addr for its facts.
func Dial(ctx context.Context, addr string, opts Options) (*Remote, error) {
	if opts.Protocol != "" && !slices.Contains(Protocols, opts.Protocol) {
		return nil, fmt.Errorf("protocol: found %q, allowed: %s", opts.Protocol,
			strings.Join(Protocols, ", "))
	}
	c, err := dialControl(ctx, addr)
	if err != nil {
		return nil, fmt.Errorf("redis at %s: %w", addr, err)
	}
	r := &Remote{addr: addr, opts: opts, control: c}
	if err := r.learn(); err != nil {
		c.Close()
		return nil, fmt.Errorf("redis at %s: %w", addr, err)
	}
	return r, nil
}

// learn derives the facts from the server's settings.
func (r *Remote) learn() (err error) {
	if r.protocol, err = r.control.hello(); err != nil {
		return err
	}
	server, err := r.control.info("server")
	if err != nil {
		return err
	}
	if server["redis_version"] == "" {
		return errors.New("the server sent no version: check that it is a Redis server")
	}
	pid, _ := strconv.Atoi(server["process_id"]) // 0 stands for no process
	r.facts = kvs.Facts{
		Store: "redis", Version: server["redis_version"], Transport: "tcp", Protocol: r.protocol,
		Partitions: 1, Access: Access, MinHitRate: 1, MaxBatch: MaxBatch, PID: pid,
		CPUs: r.opts.CPUs,
	}
	if r.facts.CPUs == nil {
		r.facts.CPUs = installed.PinnedTo(r.addr, pid, program)
	}
	if r.opts.Protocol == MGet {
		r.facts.Protocol += "+mget"
	}
	return r.settings()
}

// Access is the access mode: the one thread that executes commands reads and writes everything.
const Access = "erew"

// settings asks for the settings that the facts contain.
func (r *Remote) settings() error {
	threads, err := r.control.setting("io-threads")
	if err != nil {
		return err
	}
	policy, err := r.control.setting("maxmemory-policy")
	if err != nil {
		return err
	}
	limit, err := r.control.setting("maxmemory")
	if err != nil {
		return err
	}
	r.facts.Workers = 1 // older servers have no such setting
	if n, err := strconv.Atoi(threads); err == nil {
		r.facts.Workers = max(n, 1)
	}
	r.facts.LogBytes, _ = strconv.ParseInt(limit, 10, 64) // 0 stands for no limit
	r.facts.Mode = "store"
	if r.facts.LogBytes > 0 && policy != "noeviction" {
		r.facts.Mode = "cache"
	}
	return nil
}

// Facts returns the facts from the time of Dial.
func (r *Remote) Facts() kvs.Facts { return r.facts }

// Stats asks the server for its counters.
func (r *Remote) Stats() (kvs.Stats, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	text, err := r.control.info("everything")
	if err != nil {
		return kvs.Stats{}, fmt.Errorf("ask redis at %s for its counters: %w", r.addr, err)
	}
	s, err := parseStats(text, r.facts.Workers)
	s.Threads = installed.Threads(r.addr, r.facts.PID, program)
	return s, err
}

// Open connects a session.
func (r *Remote) Open(opts kvs.SessionOptions) (kvs.Session, error) {
	return pipeline.Open(pipeline.Target{
		Addr: r.addr, Workers: r.facts.Workers, Timeout: timeout,
		Wire:  func() pipeline.Wire { return &resp{mget: r.opts.Protocol == MGet} },
		Greet: r.greet,
	}, opts)
}

// greet switches a fresh connection to the protocol of the facts.
func (r *Remote) greet(nc net.Conn) error {
	if r.protocol == resp2 {
		return nil
	}
	protocol, err := newControl(nc).hello()
	if err == nil && protocol != r.protocol {
		err = fmt.Errorf("protocol: found %s before, now only %s", r.protocol, protocol)
	}
	return err
}

// Moved returns the traffic of the connection for counters.
func (r *Remote) Moved() kvs.Moved { return sockets.MovedBy(r.control.Conn) }

// Close closes the connection for counters.
func (r *Remote) Close() error { return r.control.Close() }
