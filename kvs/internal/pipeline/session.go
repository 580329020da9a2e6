package pipeline

import (
	"errors"
	"fmt"
	"net"
	"time"

	"dpukv/kvs"
	"dpukv/kvs/internal/sockets"

	"golang.org/x/sys/unix"
)

// Target is what a session connects to.
type Target struct {
	Addr    string
	Workers int // of the server
	Timeout time.Duration
	// Wire makes a connection's own.
	Wire func() Wire
	// Greet is said on a fresh connection. It may be nil.
	Greet func(net.Conn) error
}

// session is one load worker's connections. It belongs to one goroutine.
type session struct {
	opts    kvs.SessionOptions
	conns   []*conn
	at      int // the connection whose batch is being filled
	poller  *sockets.Poller
	pending int // requests submitted and not answered
	traffic kvs.Traffic
}

// Open connects a session.
func Open(t Target, opts kvs.SessionOptions) (_ kvs.Session, err error) {
	if opts.Batch < 1 || opts.Batch > MaxBatch {
		return nil, fmt.Errorf("batches of %d operations: allowed are 1 to %d", opts.Batch, MaxBatch)
	}
	if opts.Window < 1 || opts.Connections < 1 {
		return nil, fmt.Errorf("a window of %d batches on %d connections: want at least one of each", opts.Window, opts.Connections)
	}
	s := &session{opts: opts}
	if s.poller, err = sockets.NewPoller(); err != nil {
		return nil, err
	}
	for range opts.Connections * t.Workers {
		if err := s.connect(t); err != nil {
			return nil, errors.Join(fmt.Errorf("connect: %w", err), s.Close())
		}
	}
	return s, nil
}

func (s *session) connect(t Target) error {
	c, err := dialConn(t, s)
	if err != nil {
		return err
	}
	c.number = len(s.conns)
	s.conns = append(s.conns, c)
	return s.watch(c, unix.EPOLL_CTL_ADD)
}

// watch tells the poller what to tell of a connection, by its number.
func (s *session) watch(c *conn, op int) error { return s.poller.Watch(op, c.fd, c.number, c.blocked) }

// Submit puts a request into the batch of a connection that has room.
func (s *session) Submit(r *kvs.Request) (bool, error) {
	c := s.conns[s.at]
	if !c.room() {
		if !s.advance() {
			return false, nil
		}
		c = s.conns[s.at]
	}
	c.add(r)
	s.pending++
	if c.room() {
		return true, nil
	}
	s.next()
	if !c.open() {
		return true, nil // it leaves when an answer comes
	}
	return true, c.send()
}

func (s *session) next() {
	if s.at++; s.at == len(s.conns) {
		s.at = 0
	}
}

// advance moves on to the next connection whose batch has room.
func (s *session) advance() bool {
	for range s.conns {
		s.next()
		if s.conns[s.at].room() {
			return true
		}
	}
	return false
}

// Flush sends the batches that are not full.
func (s *session) Flush() error {
	for _, c := range s.conns {
		if len(c.filling.notes) > 0 && c.open() {
			if err := c.send(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Poll waits, reads, and parses.
func (s *session) Poll(answers []kvs.Answer, wait time.Duration) ([]kvs.Answer, error) {
	events, err := s.poller.Wait(wait)
	if err != nil {
		return answers, err
	}
	for _, e := range events {
		c := s.conns[e.Fd]
		if e.Events&unix.EPOLLOUT != 0 {
			if err := c.push(); err != nil {
				return answers, err
			}
		}
		if e.Events&^unix.EPOLLOUT != 0 {
			if answers, err = c.receive(answers); err != nil {
				return answers, err
			}
		}
	}
	return answers, nil
}

// InFlight counts requests, batched or sent.
func (s *session) InFlight() int { return s.pending }

// Traffic counts since the session was opened.
func (s *session) Traffic() kvs.Traffic { return s.traffic }

// Close closes every connection.
func (s *session) Close() error {
	var errs []error
	for _, c := range s.conns {
		errs = append(errs, unix.Close(c.fd))
	}
	s.conns = nil
	return errors.Join(append(errs, s.poller.Close())...)
}
