package mica

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"dpukv/internal/cpu"
	"dpukv/kvs"
	"dpukv/kvs/mica/partition"
)

// Server is a running MICA server.
type Server struct {
	facts   kvs.Facts
	host    string
	ports   []int
	table   *partition.Table
	workers []*worker
	// welcome is the body of that frame, once every worker listens.
	welcome atomic.Pointer[[]byte]

	stopOnce sync.Once
	stopErr  error
	done     chan struct{} // closed when a worker ended, asked or not
	doneOnce sync.Once
	failure  error
}

// Start makes the table, starts the workers, and returns once each of them
// has answered a handshake.
func Start(cfg Config) (*Server, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	if cfg.mostConnections == 0 {
		most, err := connectionLimit(cfg.Workers)
		if err != nil {
			return nil, err
		}
		cfg.mostConnections = most
	}
	table, err := cfg.table()
	if err != nil {
		return nil, err
	}
	s := &Server{table: table, facts: facts(&cfg, table), done: make(chan struct{})}
	if err := s.startWorkers(&cfg); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func facts(cfg *Config, t *partition.Table) kvs.Facts {
	index, log := t.Memory()
	return kvs.Facts{
		Store: "mica", Version: cfg.Version, Transport: "tcp",
		Workers: cfg.Workers, Partitions: cfg.Workers * cfg.PartitionsPerWorker,
		Hash: cfg.Hash, Mode: cfg.Mode.String(), Access: cfg.Access.String(),
		CPUs: cfg.CPUs[:min(len(cfg.CPUs), cfg.Workers)], Pages: string(t.Pages()), Items: cfg.Items,
		IndexBytes: index, LogBytes: log, MinHitRate: cfg.Mode.MinHitRate(),
		MaxBatch: MaxBatch, MaxFrameBytes: MaxFrameBytes,
	}
}

func (s *Server) startWorkers(cfg *Config) error {
	for i := range cfg.Workers {
		addr, err := cfg.addr(i)
		if err != nil {
			return err
		}
		w := newWorker(s, i, cfg)
		if err := w.start(addr); err != nil {
			return fmt.Errorf("worker %d on %s: %w", i, addr, err)
		}
		s.workers = append(s.workers, w)
		s.ports = append(s.ports, w.port)
		s.host, _, _ = net.SplitHostPort(addr) // cfg.addr joined it
	}
	text, err := json.Marshal(welcome{Facts: s.facts, Ports: s.ports})
	if err != nil {
		return err
	}
	s.welcome.Store(&text)
	for i := range s.workers {
		if err := s.prove(i); err != nil {
			return fmt.Errorf("worker %d: %w", i, err)
		}
	}
	return nil
}

// prove makes a worker answer a handshake, and with it pin itself.
func (s *Server) prove(worker int) error {
	c, err := net.DialTimeout("tcp", s.dialable(worker), handshakeTimeout)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err = greet(c); err != nil {
		return err
	}
	w := s.workers[worker]
	w.eventLoop() // pinErr was set before
	return w.pinErr
}

// dialable is a worker's address for a client on this machine.
func (s *Server) dialable(worker int) string {
	host := s.host
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return net.JoinHostPort(host, strconv.Itoa(s.ports[worker]))
}

// Addr is where clients dial.
func (s *Server) Addr() string { return net.JoinHostPort(s.host, strconv.Itoa(s.ports[0])) }

// Facts are those that clients are told.
func (s *Server) Facts() kvs.Facts { return s.facts }

// Stats asks every worker for its counters.
func (s *Server) Stats() (kvs.Stats, error) {
	stats := kvs.Stats{CPUNs: cpu.ProcessNs(), CPUs: cpu.OccupiedBy(s.facts.CPUs), Workers: make([]kvs.WorkerStats, len(s.workers))}
	for i, w := range s.workers {
		var err error
		if stats.Workers[i], err = w.stats(); err != nil {
			return kvs.Stats{}, fmt.Errorf("worker %d: %w", i, err)
		}
	}
	return stats, nil
}

// Wait blocks until the server was closed, or has ended by itself: then it says why.
func (s *Server) Wait() error {
	<-s.done
	return s.failure
}

// ended notes, the first time, that the server is over, and why.
func (s *Server) ended(err error) {
	s.doneOnce.Do(func() {
		s.failure = err
		close(s.done)
	})
}

// Close ends the workers and their connections, and frees the memory.
func (s *Server) Close() error {
	s.stopOnce.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		s.ended(nil)
		var errs []error
		for _, w := range s.workers {
			errs = append(errs, w.stop(ctx))
		}
		for _, w := range s.workers {
			errs = append(errs, w.wait(ctx))
		}
		if err := errors.Join(errs...); err != nil {
			s.stopErr = err // a worker may still be using the table
			return
		}
		s.stopErr = s.table.Close()
	})
	return s.stopErr
}
