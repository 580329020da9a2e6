package pipeline

import (
	"errors"
	"fmt"
	"net"
	"time"

	"dpukv/kvs"
	"dpukv/kvs/internal/sockets"
)

// Target is what a session connects to.
type Target struct {
	Addr    string
	Workers int // of the server
	Timeout time.Duration
	// Wire returns the protocol state of one connection.
	Wire func() Wire
	// Greet runs on a fresh connection. It may be nil.
	Greet func(net.Conn) error
}

// session is one load worker's connections.
type session struct {
	sockets.Session[*conn]
	lane sockets.Lane[*conn]
}

// Open connects a session.
func Open(t Target, opts kvs.SessionOptions) (kvs.Session, error) {
	s := &session{lane: sockets.NewLane[*conn](t.Workers)}
	if err := s.Init(opts, MaxBatch); err != nil {
		return nil, err
	}
	for range opts.Connections * t.Workers {
		if err := s.connect(&t, opts); err != nil {
			return nil, errors.Join(fmt.Errorf("connect: %w", err), s.Close())
		}
	}
	return s, nil
}

func (s *session) connect(t *Target, opts kvs.SessionOptions) error {
	c, err := dialConn(t, opts)
	if err != nil {
		return err
	}
	return s.Add(c, &s.lane)
}

// Submit puts a request into the batch of a connection that has room.
func (s *session) Submit(r *kvs.Request) (bool, error) {
	if !s.lane.Pick(s.Turn()) {
		return false, nil
	}
	c := s.lane.Now
	c.add(r)
	s.Submitted()
	if c.Room() {
		return true, nil
	}
	return true, s.lane.Full()
}
