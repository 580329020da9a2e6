package memcached

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"

	"dpukv/kvs"
	"dpukv/kvs/internal/counters"
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
	// Credentials let the client in.
	Credentials kvs.Credentials
}

// Remote is a client's view of a memcached server.
type Remote struct {
	endpoint kvs.Endpoint
	peer     sockets.Peer
	opts     Options
	facts    kvs.Facts
	// evictions is "on" or "off"; "": the server does not tell
	evictions string

	mu      sync.Mutex
	control *control
}

var _ kvs.Remote = (*Remote)(nil)

// Dial asks the server at addr for its facts.
func Dial(ctx context.Context, addr string, opts Options) (*Remote, error) {
	e, err := endpoints.Parse(addr, &opts.Credentials)
	if err != nil {
		return nil, fmt.Errorf("server address: %w", err)
	}
	r := &Remote{endpoint: e, opts: opts}
	if r.peer, err = sockets.PeerOf(&e, program, &opts.Credentials.TLS); err == nil {
		err = r.choose(ctx)
	}
	if err == nil {
		err = r.learn()
	}
	if err != nil {
		if r.control != nil {
			r.control.Close()
		}
		return nil, fmt.Errorf("memcached at %s: %w", addr, sockets.Explain(err))
	}
	return r, nil
}

// choose determines the protocol.
func (r *Remote) choose(ctx context.Context) (err error) {
	if err := r.fitsLogin(); err != nil {
		return err
	}
	if r.control, err = dialControl(ctx, &r.peer); err != nil {
		return err
	}
	if err := r.control.enter(r.login()); err != nil {
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
	r.control, err = dialControl(ctx, &r.peer)
	return err
}

// login is what a fresh connection says first.
func (r *Remote) login() *login {
	return &login{r.endpoint.User, r.opts.Credentials.Password}
}

// fitsLogin refuses half of a login, and one that the protocol cannot say.
func (r *Remote) fitsLogin() error {
	l := r.login()
	switch {
	case l.user == "" && l.password.Empty():
		return nil
	case l.user == "" || l.password.Empty():
		return errors.New("found a user or a password without the other, allowed: both; give the " +
			"URL memcached://USER@HOST:PORT, and the password with --password-file or in " +
			passwordVariable)
	case r.opts.Protocol == Binary:
		return fmt.Errorf("protocol: found %s with a password, allowed: %s; an auth file is of "+
			"the text protocol", Binary, Meta)
	}
	return nil
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
		Store: "memcached", Version: general["version"], Protocol: Binary,
		Transport: r.peer.Transport(), TLS: r.peer.Secured(r.control.Conn),
		Workers: workers, Partitions: 1, Setup: kvs.Setup{Mode: "cache", Access: Access},
		LogBytes: limit, MinHitRate: 1, MaxBatch: pipeline.MaxBatch, MaxKeyBytes: MaxKeyBytes,
		TTLUnit: ttlUnit, PID: pid, CPUs: r.opts.CPUs,
	}
	if r.facts.CPUs == nil {
		r.facts.CPUs = installed.PinnedTo(&r.endpoint, pid, program)
	}
	if r.control.meta {
		r.facts.Protocol, r.facts.MaxKeyBytes = Meta, MaxKeyBytesMeta
	}
	if r.evictions = settings["evictions"]; r.evictions == "off" {
		r.facts.Mode = "store"
	}
	return r.facts.Check()
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
		return kvs.Stats{}, fmt.Errorf("ask memcached at %s for its counters: %w", r.peer.Addr, err)
	}
	s, err := parseStats(text)
	s.Threads = installed.Threads(&r.endpoint, r.facts.PID, program)
	return s, err
}

// parseStats builds one worker from the server's sums over its threads.
func parseStats(text map[string]string) (kvs.Stats, error) {
	p := counters.Reader{Text: text}
	count := p.Count
	w := kvs.WorkerStats{
		Gets: count("cmd_get"), Hits: count("get_hits"), Items: count("curr_items"),
		Evicted: evicted(&p), Full: count("store_no_memory"),
		Connections: count("curr_connections"),
	}
	w.Ops = w.Gets + count("cmd_set") + count("delete_hits") + count("delete_misses")
	if user, system := p.Told("rusage_user"), p.Told("rusage_system"); user && system {
		w.CPUNs = p.Nanoseconds("rusage_user", seconds) + p.Nanoseconds("rusage_system", seconds)
	}
	return kvs.Stats{
		CPUNs: w.CPUNs, Workers: []kvs.WorkerStats{w}, Untold: p.Untold,
		NoItems: !p.Told("curr_items"),
	}, p.Err
}

// seconds parses "1.002003" or "1:002003": seconds and microseconds.
func seconds(text string) (float64, error) {
	return strconv.ParseFloat(strings.Replace(text, ":", ".", 1), 64)
}

// Open connects a session.
func (r *Remote) Open(opts kvs.SessionOptions) (kvs.Session, error) {
	return pipeline.Open(pipeline.Target{
		Nodes:   pipeline.One(r.peer, r.facts.Workers),
		Timeout: timeout, Wire: r.wire, Greet: r.greet,
	}, opts)
}

// greet logs in on a fresh connection.
func (r *Remote) greet(nc net.Conn) error {
	if r.opts.Credentials.Password.Empty() {
		return nil
	}
	return newControl(nc).enter(r.login())
}

func (r *Remote) wire() pipeline.Wire {
	if r.control.meta {
		return &meta{}
	}
	return &classic{}
}

// Moved returns the traffic of the connection for counters.
func (r *Remote) Moved() kvs.Moved { return sockets.MovedBy(r.control.Conn) }

// Close closes the connection for counters.
func (r *Remote) Close() error { return r.control.Close() }
