package mica

import (
	"errors"
	"fmt"

	"dpukv/kvs"
	"dpukv/kvs/internal/sockets"
	"dpukv/kvs/partition"
)

// session holds one client thread's connections to all workers of a server.
type session struct {
	sockets.Session[*conn]
	partitions int
	owners     int                    // partitions per worker
	crew       bool                   // Gets go to any worker
	groups     []sockets.Group[*conn] // one per worker
	reader     int                    // CREW: the group that Gets use now
}

// connector connects a session to a worker.
type connector func(worker int, opts kvs.SessionOptions) (*conn, error)

func openSession(f *kvs.Facts, opts kvs.SessionOptions, connect connector) (*session, error) {
	s := &session{
		partitions: f.Partitions, owners: f.Partitions / f.Workers,
		crew:   f.Access == partition.CREW.String() && !opts.KeepOrder,
		groups: make([]sockets.Group[*conn], f.Workers),
	}
	if err := s.Init(opts, f.MaxBatch); err != nil {
		return nil, err
	}
	err := checkFrame(opts.Batch, opts.KeyBytes, opts.MaxValueBytes, f.MaxFrameBytes)
	if err != nil {
		return nil, err
	}
	for w := range s.groups {
		s.groups[w] = sockets.NewGroup[*conn](1, opts.KeepOrder)
	}
	for range opts.Connections {
		for w := range s.groups {
			if err := s.connect(connect, w, opts); err != nil {
				return nil, errors.Join(fmt.Errorf("connect to worker %d: %w", w, err), s.Close())
			}
		}
	}
	return s, nil
}

func (s *session) connect(connect connector, worker int, opts kvs.SessionOptions) error {
	c, err := connect(worker, opts)
	if err != nil {
		return err
	}
	return s.Add(c, &s.groups[worker])
}

// Submit puts a request into a batch to the worker that must answer it.
func (s *session) Submit(r *kvs.Request) (bool, error) {
	l := s.group(r)
	if turn := s.Turn(); !(l.Stays(turn) && l.Now.Room()) && !l.Pick(turn, r.Key) {
		return false, nil
	}
	c := l.Now
	c.add(r)
	s.Submitted()
	if c.Room() {
		return true, nil
	}
	if s.reader++; s.reader == len(s.groups) {
		s.reader = 0
	}
	return true, l.Full()
}

// group chooses the worker: the owner of the key or, for a Get in CREW, each worker in turn. Where
// the order of a key's requests matters, all go to the owner.
func (s *session) group(r *kvs.Request) *sockets.Group[*conn] {
	if len(s.groups) == 1 {
		return &s.groups[0]
	}
	if s.crew && r.Op == kvs.Get {
		return &s.groups[s.reader]
	}
	return &s.groups[partition.PartitionOf(r.Hash, s.partitions)/s.owners]
}
