package shm

import (
	"fmt"
	"sync/atomic"

	"dpukv/verbs"
)

// qp is a queue pair.
type qp struct {
	device     *Device
	number     uint32
	kind       verbs.QPType
	pd         uint32 // number of its protection domain
	qkey       uint32
	send, recv *cq
	ready      atomic.Bool // may send
	failed     bool        // RC: a work request failed, and so do all later ones
	overran    bool        // a completion was lost, and the event log has it
	peer       *peer       // UC, RC
	peerNumber uint32
	peerPD     uint32 // protection domain of the regions that it reaches
	toPeer     *track // UC, RC: for messages; nil before the first
	routes     routes
	posted     posted
	completed  completions
	tracks     []track // the receiver's view
	ring       uint64
	ringBytes  int
	closed     atomic.Bool
}

func (p *pd) CreateQP(cfg verbs.QPConfig) (verbs.QP, error) {
	d := p.device
	send, sendOK := cfg.SendCQ.(*cq)
	recv, recvOK := cfg.RecvCQ.(*cq)
	switch {
	case cfg.Type != verbs.UC && cfg.Type != verbs.UD && cfg.Type != verbs.RC:
		return nil, fmt.Errorf("queue pair of type %s: %w", cfg.Type, verbs.ErrNotSupported)
	case cfg.MaxSend < 0 || cfg.MaxRecv < 0 || cfg.MaxInline > MTU:
		return nil, fmt.Errorf("queue pair: found queues of %d sends and %d receives, and %d "+
			"bytes inline, allowed: 0 or more, and at most %d inline",
			cfg.MaxSend, cfg.MaxRecv, cfg.MaxInline, MTU)
	case !sendOK || !recvOK || send.device != d || recv.device != d:
		return nil, fmt.Errorf("queue pair: it needs completion queues of its own device for " +
			"both directions")
	}
	if err := cfg.CheckFlowLabel(); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, verbs.ErrClosed
	}
	number, err := d.queues.assign("queue pair")
	if err != nil {
		return nil, err
	}
	q := &qp{
		device: d, number: number, kind: cfg.Type, pd: p.number, qkey: cfg.QKey, send: send,
		recv: recv,
	}
	q.posted.init(cfg.MaxRecv)
	e := d.arena.queue(number)
	e.kind.Store(uint32(cfg.Type))
	e.qkey.Store(cfg.QKey)
	e.pd.Store(p.number)
	e.peer.Store(0)
	e.peerTag.Store(0)
	e.ring.Store(0)
	e.used.Store(0)
	e.number.Store(number)
	return q, nil
}

func (q *qp) Num() uint32        { return q.number }
func (q *qp) Type() verbs.QPType { return q.kind }
func (q *qp) entry() *queueEntry { return q.device.arena.queue(q.number) }

func (q *qp) Local() verbs.Endpoint {
	return verbs.Endpoint{
		Device: q.device.Info(), Type: q.kind, LinkLayer: verbs.LinkMemory,
		GID: verbs.GID(q.device.handle.id),
		MTU: MTU, QPN: q.number, QKey: q.qkey, Handle: q.device.handle.String(),
	}
}

// Connect sets the peer, and admits it.
func (q *qp) Connect(to verbs.Endpoint) error {
	if q.closed.Load() {
		return verbs.ErrClosed
	}
	if q.kind == verbs.UD {
		q.ready.Store(true)
		return nil
	}
	if err := verbs.Check(q.Local(), to); err != nil {
		return err
	}
	if q.peer != nil {
		return fmt.Errorf("connect %s: it is already connected", q.Local())
	}
	p, err := q.device.attach(to)
	if err != nil {
		return fmt.Errorf("connect to %s: %w", to, err)
	}
	q.peer, q.peerNumber, q.peerPD = p, to.QPN, p.queue(to.QPN).pd.Load()
	e := q.entry()
	e.peerTag.Store(p.tag)
	e.peer.Store(to.QPN)
	q.ready.Store(true)
	return nil
}

// Close makes the queue pair unreachable for its peers.
func (q *qp) Close() error {
	if q.closed.Swap(true) {
		return nil
	}
	q.ready.Store(false)
	q.recv.drop(q)
	q.send.drop(q)
	d := q.device
	if d.over() {
		return nil // nothing is mapped any more
	}
	q.leave()
	if q.peer != nil {
		if err := d.detach(q.peer); err != nil {
			return err
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil
	}
	q.entry().number.Store(0)
	d.queues.give(q.number)
	if q.ring == 0 {
		return nil
	}
	return d.heap.free(q.ring, q.ringBytes)
}
