package kvstest

import (
	"cmp"
	"fmt"
	"net"
	"strconv"
	"testing"
	"time"

	"dpukv/hashbench"
	"dpukv/internal/test/must"
	"dpukv/kvs"
)

// Config says which server of a store [Conformance] starts, and how it dials it.
type Config struct {
	// Server configures the server. Fields that are zero get a default: a free port of loopback,
	// one worker, room for 4,096 items of 255 + 16,384 bytes, mode store, and the store's own
	// defaults for access and hash.
	Server kvs.ServerConfig
	// Dial configures the client. Conformance sets the address.
	Dial kvs.DialConfig
	Limits
}

// Limits bound what the checks ask of a store.
type Limits struct {
	// MaxValueBytes is the largest value that the server takes. 0: [kvs.MaxValueBytes].
	MaxValueBytes int
	// AnyOrder tells that requests in flight together may be executed in any order.
	AnyOrder bool
	// Grows tells that the server takes more items than it was asked to have room for.
	Grows bool
	// Timeout is the limit for the answers of one step. 0: 20 seconds, which is far more than they
	// take on a busy machine.
	Timeout time.Duration
}

// Conformance checks everything that the load client relies on: what [Conform] checks, a server
// that is full, and one that ends while requests are in flight.
func Conformance(t *testing.T, st *kvs.Store, c Config) {
	server := c.start(t, st)
	remote := c.dial(t, st, server.Addr())
	Conform(t, remote, c.Limits)
	t.Run("crowded", func(t *testing.T) { c.crowded(t, st) })
	t.Run("a range of ports", func(t *testing.T) { c.inRange(t, st) })
	t.Run("the server ends", func(t *testing.T) {
		server := must.Get(c.serve(st))(t)
		newEnv(t, c.dial(t, st, server.Addr()), c.Limits).serverEnds(server)
	})
}

// inRange checks that a server listens on a port of a range, as a testbed with a firewall has one.
func (c *Config) inRange(t *testing.T, st *kvs.Store) {
	if c.Server.Listen != "" {
		return
	}
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	first := l.Addr().(*net.TCPAddr).Port
	l.Close()
	in := *c
	in.Server.Listen = fmt.Sprintf("127.0.0.1:%d-%d", first, min(first+100, 65535))
	addr := in.start(t, st).Addr()
	_, port, err := net.SplitHostPort(addr)
	if n, _ := strconv.Atoi(port); err != nil || n < first || n > first+100 {
		t.Errorf("listen address: found %s, want one of %s", addr, in.Server.Listen)
	}
}

// serve starts a server, which the caller closes.
func (c *Config) serve(st *kvs.Store) (kvs.Server, error) {
	s := c.Server
	s.Listen = cmp.Or(s.Listen, "127.0.0.1:0")
	s.Workers = cmp.Or(s.Workers, 1)
	s.Items = cmp.Or(s.Items, 4096)
	s.KeyBytes = cmp.Or(s.KeyBytes, kvs.MaxKeyBytes)
	s.ValueBytes = cmp.Or(s.ValueBytes, 16<<10)
	s.MaxValueBytes = cmp.Or(s.MaxValueBytes, s.ValueBytes)
	s.Mode = cmp.Or(s.Mode, "store")
	s.Access = cmp.Or(s.Access, st.Study.Access)
	s.Hash = cmp.Or(s.Hash, st.Study.Hash)
	return st.Start(&s)
}

// start starts a server for the duration of the test.
func (c *Config) start(t *testing.T, st *kvs.Store) kvs.Server {
	t.Helper()
	return must.Keep(c.serve(st))(t)
}

func (c *Config) dial(t *testing.T, st *kvs.Store, addr string) kvs.Remote {
	t.Helper()
	d := c.Dial
	d.Addr = addr
	return must.Keep(st.Dial(t.Context(), &d))(t)
}

// Conform checks the sessions of a remote, whose server is empty and runs until the test ends.
func Conform(t *testing.T, r kvs.Remote, l Limits) {
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) { c.do(newEnv(t, r, l)) })
	}
	for _, o := range []kvs.SessionOptions{
		{Batch: 1, Window: 1, Connections: 1},
		{Batch: 7, Window: 3, Connections: 1},
		{Batch: 32, Window: 2, Connections: 3},
		{Batch: r.Facts().MaxBatch, Window: 1, Connections: 1},
	} {
		t.Run(fmt.Sprintf("random batch=%d window=%d connections=%d", o.Batch, o.Window,
			o.Connections), func(t *testing.T) { newEnv(t, r, l).random(o) })
	}
}

// check is one check of a remote's sessions.
type check struct {
	name string
	do   func(*env)
}

// checks are the checks of [Conform], in their order.
var checks = []check{
	{"outcomes", (*env).outcomes},
	{"values", (*env).values},
	{"keys", (*env).keys},
	{"counters", (*env).counters},
	{"moved", (*env).moved},
	{"options", (*env).options},
	{"answers", (*env).answers},
	{"batch", (*env).batch},
	{"window", (*env).window},
	{"refusal", (*env).refusal},
	{"flush", (*env).flush},
	{"clocks", (*env).clocks},
	{"copies", (*env).copies},
	{"lasting values", (*env).lastingValues},
	{"idle", (*env).idle},
	{"two sessions", (*env).twoSessions},
	{"order", (*env).keepsOrder},
	{"close", (*env).close},
}

// env is what one check works with. Its testing.TB may be a recorder of failures.
type env struct {
	testing.TB
	remote kvs.Remote
	facts  kvs.Facts
	limits Limits
	hash   func(key []byte) uint64 // nil: the store hashes by itself
}

func newEnv(t testing.TB, r kvs.Remote, l Limits) *env {
	t.Helper()
	e := &env{TB: t, remote: r, facts: r.Facts(), limits: l}
	e.limits.MaxValueBytes = cmp.Or(l.MaxValueBytes, kvs.MaxValueBytes)
	e.limits.Timeout = cmp.Or(l.Timeout, timeout)
	if name := e.facts.Hash; name != "" && name != kvs.NoHash {
		f := must.Get(hashbench.Lookup(name))(t)
		e.hash = f.Sum64
	}
	return e
}

// open opens a session until the end of the check.
func (e *env) open(o kvs.SessionOptions) kvs.Session {
	e.Helper()
	return Open(e, e.remote, o)
}

// Open opens a session for the duration of a test.
func Open(t testing.TB, r kvs.Remote, o kvs.SessionOptions) kvs.Session {
	t.Helper()
	return must.Keep(r.Open(o))(t)
}

// do runs requests through a session.
func (e *env) do(s kvs.Session, requests []kvs.Request) []kvs.Answer {
	e.Helper()
	return exchange(e, s, e.hash, requests, e.limits.Timeout)
}

// submit submits one request, which the session must take.
func (e *env) submit(s kvs.Session, r kvs.Request) {
	e.Helper()
	if !e.offer(s, r) {
		e.Fatalf("the session refused a %s with %d requests in flight", r.Op, s.InFlight())
	}
}

// offer submits one request, and reports whether the session took it.
func (e *env) offer(s kvs.Session, r kvs.Request) bool {
	e.Helper()
	if e.hash != nil {
		r.Hash = e.hash(r.Key)
	}
	return submit(e, s, &r)
}

// collect polls until n answers have come.
func (e *env) collect(s kvs.Session, n int) []kvs.Answer {
	e.Helper()
	return e.gather(s, n, func() {})
}

// drain polls until n answers have come, and flushes the batches that are not full.
func (e *env) drain(s kvs.Session, n int) []kvs.Answer {
	e.Helper()
	return e.gather(s, n, func() { e.flushed(s) })
}

func (e *env) gather(s kvs.Session, n int, before func()) (all []kvs.Answer) {
	e.Helper()
	for end := time.Now().Add(e.limits.Timeout); len(all) < n; {
		before()
		if time.Now().After(end) {
			e.Fatalf("answers: found %d, want %d; %d requests are in flight", len(all), n,
				s.InFlight())
		}
		all = append(all, e.poll(s, 50*time.Millisecond)...)
	}
	return all
}

// poll polls once. The answers' values are copies.
func (e *env) poll(s kvs.Session, wait time.Duration) []kvs.Answer {
	e.Helper()
	answers := must.Get(s.Poll(nil, wait))(e)
	for i := range answers {
		answers[i].Value = append([]byte(nil), answers[i].Value...)
	}
	return answers
}

// ops returns the number of operations that the server has executed.
func (e *env) ops() int {
	e.Helper()
	stats := must.Get(e.remote.Stats())(e)
	return int(stats.Ops())
}

// total sums the counters of a server's workers.
func total(s *kvs.Stats) (sum kvs.WorkerStats) {
	for i := range s.Workers {
		w := &s.Workers[i]
		sum.Ops, sum.Gets, sum.Hits = sum.Ops+w.Ops, sum.Gets+w.Gets, sum.Hits+w.Hits
	}
	sum.Ops, sum.Gets, sum.Hits = s.Ops(), sum.Gets+s.ByClient.Gets, sum.Hits+s.ByClient.Hits
	return sum
}

// Operations checks the outcomes of operations, and values of every size: what [Conform] checks
// first, for a test that changes how the answers come.
func Operations(t *testing.T, r kvs.Remote, l Limits) {
	t.Helper()
	newEnv(t, r, l).outcomes()
	newEnv(t, r, l).values()
}
