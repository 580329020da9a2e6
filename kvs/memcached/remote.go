package memcached

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"dpukv/kvs"
	"dpukv/kvs/internal/installed"
	"dpukv/kvs/internal/pipeline"
	"dpukv/kvs/internal/sockets"
)

// These are the maximum key lengths of the binary protocol, and of the meta protocol, whose lines
// carry keys in base64.
const (
	MaxKeyBytes     = maxToken
	MaxKeyBytesMeta = maxToken / 4 * 3
)

// MaxBatch is the maximum number of operations per batch.
const MaxBatch = pipeline.MaxBatch

// The protocols.
const (
	Meta   = "meta"
	Binary = "binary"
)

// Protocols are the values of [Options.Protocol].
var Protocols = []string{Meta, Binary}

// Options tell a client how to use a server.
type Options struct {
	// CPUs are the CPUs that the server is known to be pinned to. None: those visible from here.
	CPUs []int
	// Protocol is Meta or Binary. Empty: Meta if the server has it.
	Protocol string
}

// Remote is a client's view of a memcached server.
type Remote struct {
	addr  string
	opts  Options
	facts kvs.Facts

	mu      sync.Mutex
	control *control
}

var _ kvs.Remote = (*Remote)(nil)

// Dial asks the server at addr for its facts.
func Dial(ctx context.Context, addr string, opts Options) (*Remote, error) {
	r := &Remote{addr: addr, opts: opts}
	err := r.choose(ctx)
	if err == nil {
		err = r.learn()
	}
	if err != nil {
		if r.control != nil {
			r.control.Close()
		}
		return nil, fmt.Errorf("memcached at %s: %w", addr, err)
	}
	return r, nil
}

// choose determines the protocol.
func (r *Remote) choose(ctx context.Context) (err error) {
	if r.control, err = dialControl(ctx, r.addr); err != nil {
		return err
	}
	switch protocol := r.opts.Protocol; protocol {
	case "", Meta:
		r.control.meta, err = r.control.knowsMeta()
	case Binary:
	default:
		return fmt.Errorf("protocol: found %q, allowed: %s, %s", protocol, Meta, Binary)
	}
	if err != nil || r.control.meta || r.opts.Protocol == Binary {
		return err
	}
	if r.opts.Protocol == Meta {
		return errors.New("protocol: found no meta protocol at the server (memcached has it " +
			"since 1.6); allowed: " + Binary)
	}
	r.control.Close() // its answer to the question is of no use
	r.control, err = dialControl(ctx, r.addr)
	return err
}

// learn derives the facts from the server's settings.
func (r *Remote) learn() error {
	general, err := r.control.stats("")
	if err != nil {
		return err
	}
	settings, err := r.control.stats("settings")
	if err != nil {
		return err
	}
	workers, err := strconv.Atoi(general["threads"])
	if err != nil || workers < 1 {
		return fmt.Errorf("threads: the server answered %q, allowed: a number", general["threads"])
	}
	pid, _ := strconv.Atoi(general["pid"]) // 0 stands for no process
	limit, _ := strconv.ParseInt(general["limit_maxbytes"], 10, 64)
	r.facts = kvs.Facts{
		Store: "memcached", Version: general["version"], Transport: "tcp", Protocol: Binary,
		Workers: workers, Partitions: 1, Mode: "cache", Access: Access, LogBytes: limit,
		MinHitRate: 1, MaxBatch: MaxBatch, MaxKeyBytes: MaxKeyBytes, PID: pid,
		CPUs: r.opts.CPUs,
	}
	if r.facts.CPUs == nil {
		r.facts.CPUs = installed.PinnedTo(r.addr, pid, program)
	}
	if r.control.meta {
		r.facts.Protocol, r.facts.MaxKeyBytes = Meta, MaxKeyBytesMeta
	}
	if settings["evictions"] == "off" {
		r.facts.Mode = "store"
	}
	return nil
}

// Access is the access mode: any thread reads and writes everything.
const Access = "crcw"

// Facts returns the facts from the time of Dial.
func (r *Remote) Facts() kvs.Facts { return r.facts }

// Stats asks the server for its counters.
func (r *Remote) Stats() (kvs.Stats, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	text, err := r.control.stats("")
	if err != nil {
		return kvs.Stats{}, fmt.Errorf("ask memcached at %s for its counters: %w", r.addr, err)
	}
	s, err := parseStats(text)
	s.Threads = installed.Threads(r.addr, r.facts.PID, program)
	return s, err
}

// parseStats builds one worker from the server's sums over its threads.
func parseStats(text map[string]string) (kvs.Stats, error) {
	var err error
	count := func(name string) uint64 {
		n, e := strconv.ParseUint(text[name], 10, 64)
		if e != nil && err == nil {
			err = fmt.Errorf("counter %s: found %q, allowed: a number", name, text[name])
		}
		return n
	}
	w := kvs.WorkerStats{
		Gets: count("cmd_get"), Hits: count("get_hits"), Items: count("curr_items"),
		Evicted: count("evictions"), Full: count("store_no_memory"),
		Connections: count("curr_connections"),
	}
	w.Ops = w.Gets + count("cmd_set") + count("delete_hits") + count("delete_misses")
	for _, name := range []string{"rusage_user", "rusage_system"} {
		// "1.002003" or "1:002003" are seconds and microseconds.
		seconds, e := strconv.ParseFloat(strings.Replace(text[name], ":", ".", 1), 64)
		if e != nil && err == nil {
			err = fmt.Errorf("counter %s: found %q, allowed: seconds", name, text[name])
		}
		w.CPUNs += int64(seconds * 1e9)
	}
	return kvs.Stats{CPUNs: w.CPUNs, Workers: []kvs.WorkerStats{w}}, err
}

// Open connects a session.
func (r *Remote) Open(opts kvs.SessionOptions) (kvs.Session, error) {
	return pipeline.Open(pipeline.Target{
		Addr: r.addr, Workers: r.facts.Workers, Timeout: timeout, Wire: r.wire,
	}, opts)
}

func (r *Remote) wire() pipeline.Wire {
	if r.control.meta {
		return meta{}
	}
	return classic{}
}

// Moved returns the traffic of the connection for counters.
func (r *Remote) Moved() kvs.Moved { return sockets.MovedBy(r.control.Conn) }

// Close closes the connection for counters.
func (r *Remote) Close() error { return r.control.Close() }
