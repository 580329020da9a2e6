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
	Nodes []Node // at least one
	// Route returns the number of the node that has a key. It may be nil for one node.
	Route   func(key []byte) int
	Timeout time.Duration
	// Wire returns the protocol state of one connection.
	Wire func() Wire
	// Greet runs on a fresh connection. It may be nil.
	Greet func(net.Conn) error
}

// Node is one server of a target.
type Node struct {
	Peer    sockets.Peer
	Workers int
}

// One is a server alone.
func One(p sockets.Peer, workers int) []Node { return []Node{{p, workers}} }

// session is one client thread's connections.
type session struct {
	sockets.Session[*conn]
	groups []sockets.Group[*conn] // one for each node
	route  func(key []byte) int   // nil: there is one group
}

// Open connects a session.
func Open(t Target, opts kvs.SessionOptions) (kvs.Session, error) {
	s := &session{groups: make([]sockets.Group[*conn], len(t.Nodes)), route: t.Route}
	if err := s.Init(opts, MaxBatch); err != nil {
		return nil, err
	}
	for i := range t.Nodes {
		n := &t.Nodes[i]
		s.groups[i] = sockets.NewGroup[*conn](n.Workers, opts.KeepOrder)
		for range opts.Connections * n.Workers {
			if err := s.connect(&t, n, &s.groups[i], opts); err != nil {
				return nil, errors.Join(fmt.Errorf("connect: %w", err), s.Close())
			}
		}
	}
	return s, nil
}

func (s *session) connect(
	t *Target, n *Node, group *sockets.Group[*conn], opts kvs.SessionOptions,
) error {
	c, err := dialConn(t, n, opts)
	if err != nil {
		return err
	}
	return s.Add(c, group)
}

// Submit puts a request into the batch of a connection that has room.
func (s *session) Submit(r *kvs.Request) (bool, error) {
	group := &s.groups[0]
	if s.route != nil {
		group = &s.groups[s.route(r.Key)]
	}
	if turn := s.Turn(); !(group.Stays(turn) && group.Now.Room()) && !group.Pick(turn, r.Key) {
		return false, nil
	}
	c := group.Now
	c.add(r)
	s.Submitted()
	if c.Room() {
		return true, nil
	}
	return true, group.Full()
}
