package mica

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync/atomic"
	"time"

	"dpukv/internal/offheap"
	"dpukv/kvs"
)

// Server is a running MICA server.
type Server struct {
	*kvs.Life
	facts          kvs.Facts
	host           string
	ports          []int
	items          items
	workers        []*worker
	budget         budget
	timeouts       timeouts
	statsCollector statsCollector
	clock          clock
	poll           bool     // the workers poll
	warnings       []string // beside all counters
	// welcome is the body of the welcome frame, once every worker listens.
	welcome atomic.Pointer[[]byte]
}

// Start makes the table, starts the workers, and returns once each of them has answered a
// handshake.
func Start(cfg Config) (*Server, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	s, err := newServer(&cfg)
	if err != nil {
		return nil, err
	}
	if err := s.startWorkers(&cfg); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// newServer makes a server without workers.
func newServer(cfg *Config) (*Server, error) {
	of, err := cfg.Table()
	if err != nil {
		return nil, err
	}
	if err := cfg.limitResources(offheap.Fits); err != nil {
		return nil, errors.Join(err, of.Close())
	}
	s := makeServer(cfg)
	s.items = table{of}
	s.facts.IndexBytes, s.facts.LogBytes = of.Memory()
	s.facts.Pages = of.Backing().String()
	return s, nil
}

// makeServer makes a server without workers and items.
func makeServer(cfg *Config) *Server {
	s := &Server{
		Life: kvs.NewLife(), timeouts: cfg.timeouts, clock: clock{make(chan struct{}, 1)},
	}
	if s.timeouts == (timeouts{}) {
		s.timeouts = defaultTimeouts
	}
	s.budget.init(cfg.MaxConnections, cfg.BufferBytes)
	s.poll, s.warnings = cfg.Poll, cfg.crowded()
	s.statsCollector = statsCollector{server: s, apart: func(f func()) { go f() }}
	s.facts = facts(cfg, s)
	return s
}

func facts(cfg *Config, s *Server) kvs.Facts {
	return kvs.Facts{
		Store: "mica", Version: cfg.Version, Transport: "tcp",
		Workers: cfg.Workers, Partitions: cfg.Workers * cfg.PartitionsPerWorker,
		Hash: cfg.Hash,
		Setup: kvs.Setup{
			Mode: cfg.Mode.String(), Access: cfg.Access.String(), ServerWait: cfg.wait(),
		},
		CPUs:  cfg.CPUs[:min(len(cfg.CPUs), cfg.Workers)],
		Items: cfg.Items, MinHitRate: cfg.Mode.MinHitRate(),
		MaxBatch: MaxBatch, MaxFrameBytes: MaxFrameBytes,
		MaxConnections:  cfg.MaxConnections,
		MaxClientBytes:  cfg.BufferBytes + int64(cfg.Workers)*workerBytes,
		GuaranteedBytes: s.budget.guarantee,
	}
}

func (s *Server) startWorkers(cfg *Config) error {
	for i := range cfg.Workers {
		if err := s.startWorker(cfg, i); err != nil {
			return err
		}
	}
	if err := s.announce(); err != nil {
		return err
	}
	go s.tick()
	for i := range s.workers {
		if err := s.prove(i); err != nil {
			return fmt.Errorf("worker %d: %w", i, err)
		}
	}
	return nil
}

func (s *Server) startWorker(cfg *Config, number int) error {
	addr, err := cfg.addr(number)
	if err != nil {
		return err
	}
	w := newWorker(s, number, cfg.CPUs)
	if err := w.start(addr); err != nil {
		return fmt.Errorf("worker %d on %s: %w", number, addr, err)
	}
	s.workers = append(s.workers, w)
	s.ports = append(s.ports, w.listener.Addr().(*net.TCPAddr).Port)
	s.host, _, _ = net.SplitHostPort(addr) // cfg.addr built it
	return nil
}

// announce makes the workers answer hellos.
func (s *Server) announce() error {
	text, err := json.Marshal(welcome{Facts: s.facts, Ports: s.ports})
	if err != nil {
		return err
	}
	s.welcome.Store(&text)
	return nil
}

// prove makes a worker answer a handshake. When it returns, the connection has left its place.
func (s *Server) prove(worker int) error {
	c, err := net.DialTimeout("tcp", s.dialable(worker), handshakeTimeout)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err = greet(c); err != nil {
		return err
	}
	err = errors.Join(c.SetDeadline(time.Now().Add(handshakeTimeout)),
		c.(*net.TCPConn).CloseWrite())
	if err == nil {
		_, err = io.Copy(io.Discard, c) // until the server has closed it, too
	}
	return err
}

// dialable returns a worker's address for a client on this machine.
func (s *Server) dialable(worker int) string {
	host := s.host
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return net.JoinHostPort(host, strconv.Itoa(s.ports[worker]))
}

// Addr is the address that clients dial.
func (s *Server) Addr() string { return net.JoinHostPort(s.host, strconv.Itoa(s.ports[0])) }

// Facts are the facts for clients.
func (s *Server) Facts() kvs.Facts { return s.facts }

// Stats asks every worker for its counters.
func (s *Server) Stats() (kvs.Stats, error) {
	select {
	case r := <-s.statsCollector.await():
		return r.stats, r.err
	case <-s.Ended():
		return kvs.Stats{}, net.ErrClosed
	}
}

// Close ends the workers and their connections, and frees the memory.
func (s *Server) Close() error { return s.Stop(s.free) }

func (s *Server) free() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	var errs []error
	for _, w := range s.workers {
		errs = append(errs, w.close(ctx))
	}
	if err := errors.Join(errs...); err != nil {
		return err // a worker may still be using the items
	}
	return s.items.Close()
}
