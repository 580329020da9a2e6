package mica

import (
	"errors"
	"fmt"
	"time"

	"dpukv/internal/cpu"
	"dpukv/kvs"
	"dpukv/kvs/internal/sockets"
	"dpukv/kvs/mica/partition"

	"golang.org/x/sys/unix"
)

// session is one load worker's connections to all workers of a server. It makes system
// calls on non-blocking sockets itself: a read, a write and a wait a batch, no goroutine switch.
type session struct {
	opts    kvs.SessionOptions
	facts   kvs.Facts
	owners  int // partitions of one worker
	crew    bool
	lanes   []lane
	reader  int // CREW: the lane that Gets go to now
	conns   []*conn
	poller  *sockets.Poller
	pending int // requests submitted and not answered
	traffic kvs.Traffic
}

// lane is the connections to one worker, used in turn.
type lane struct {
	conns []*conn
	at    int
}

func openSession(r *Remote, opts kvs.SessionOptions) (s *session, err error) {
	f := r.Facts()
	s = &session{
		opts: opts, facts: f, owners: f.Partitions / f.Workers, crew: f.Access == partition.CREW.String(),
		lanes: make([]lane, f.Workers),
	}
	if s.poller, err = sockets.NewPoller(); err != nil {
		return nil, err
	}
	for range opts.Connections {
		for w := range s.lanes {
			c, err := s.connect(r.workerAddr(w))
			if err != nil {
				return nil, errors.Join(fmt.Errorf("connect to worker %d: %w", w, err), s.Close())
			}
			s.lanes[w].conns = append(s.lanes[w].conns, c)
		}
	}
	return s, nil
}

func (s *session) connect(addr string) (*conn, error) {
	c, err := dialConn(addr, s.opts)
	if err != nil {
		return nil, err
	}
	c.session = s
	c.number = len(s.conns)
	s.conns = append(s.conns, c)
	return c, s.watch(c, unix.EPOLL_CTL_ADD)
}

// watch tells the poller what to tell of a connection, by its number.
func (s *session) watch(c *conn, op int) error { return s.poller.Watch(op, c.fd, c.number, c.blocked) }

// Submit puts a request into the batch of a connection to the worker that must answer it.
func (s *session) Submit(r *kvs.Request) (bool, error) {
	l := s.lane(r)
	c := l.conns[l.at]
	if !c.room() {
		if !l.advance() {
			return false, nil
		}
		c = l.conns[l.at]
	}
	c.add(r)
	s.pending++
	if c.room() {
		return true, nil
	}
	l.at = next(l.at, len(l.conns))
	s.reader = next(s.reader, len(s.lanes))
	if !c.open() {
		return true, nil // it leaves when an answer comes
	}
	return true, c.send()
}

// lane picks the worker: the owner of the key, or for a Get in CREW any, in turn.
func (s *session) lane(r *kvs.Request) *lane {
	if s.crew && r.Op == kvs.Get {
		return &s.lanes[s.reader]
	}
	return &s.lanes[partition.PartitionOf(r.Hash, s.facts.Partitions)/s.owners]
}

// next is the index after i, round the end.
func next(i, n int) int {
	if i++; i == n {
		return 0
	}
	return i
}

// advance moves a lane on to the next connection whose batch has room.
func (l *lane) advance() bool {
	for range l.conns {
		l.at = next(l.at, len(l.conns))
		if l.conns[l.at].room() {
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
		errs = append(errs, c.close())
	}
	s.conns = nil
	return errors.Join(append(errs, s.poller.Close())...)
}

func now() int64 { return cpu.NowNs() }
