package rr

import (
	"slices"
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/rawsocket"

	"golang.org/x/sys/unix"
)

const (
	// tick is how often a thread looks for peers that are overdue.
	tick = 100 * time.Millisecond
	// clockEvery is how many turns a busy thread takes between two looks at the clock.
	clockEvery = 64
)

// echoer is a thread of a server. Only it uses its fields, but for mail and seats.
type echoer struct {
	server *server
	cpu    int
	poller *rawsocket.Poller
	mail   chan *peer // new peers
	seats  int        // peers, guarded by server.mu

	peers  []*peer // by number; nil: free
	open   int
	only   *peer // the only one, which may block the thread; nil: there are others, or none
	turns  uint
	tickNs int64
}

func newEchoer(s *server, on int) (*echoer, error) {
	poller, err := rawsocket.NewPoller()
	if err != nil {
		return nil, err
	}
	return &echoer{
		server: s, cpu: on, poller: poller,
		mail: make(chan *peer, s.connections), peers: make([]*peer, s.connections),
		tickNs: cpu.NowNs(),
	}, nil
}

// run serves until the server stops.
func (e *echoer) run(up chan<- error) {
	err := lockThread(e.cpu)
	up <- err
	for err == nil && !e.server.stop.Load() {
		err = e.turn()
	}
	if err != nil {
		e.server.fail(err)
	}
}

// turn serves each peer that is ready, once.
func (e *echoer) turn() error {
	for len(e.mail) > 0 {
		if err := e.admit(<-e.mail); err != nil {
			return err
		}
	}
	active := true
	if e.only != nil {
		active = e.serve(e.only, 0)
	} else {
		events, err := e.poller.Wait(poll)
		if err != nil {
			return err
		}
		for i := range events {
			if p := e.peers[events[i].Fd]; p != nil {
				e.serve(p, unix.MSG_DONTWAIT)
			}
		}
		active = len(events) > 0
	}
	if e.turns++; !active || e.turns%clockEvery == 0 {
		e.look(cpu.NowNs())
	}
	return nil
}

// count notes that a peer came or left.
func (e *echoer) count(more int) {
	e.open += more
	e.only = nil
	if e.open == 1 {
		e.only = e.peers[slices.IndexFunc(e.peers, func(p *peer) bool { return p != nil })]
	}
}

// admit welcomes a new peer.
func (e *echoer) admit(p *peer) error {
	for p.number = 0; e.peers[p.number] != nil; p.number++ {
	}
	e.peers[p.number] = p
	e.count(1)
	p.tick = e.tickNs
	if err := e.poller.Watch(unix.EPOLL_CTL_ADD, p.fd, p.number, unix.EPOLLIN); err != nil {
		return err
	}
	n, errno := rawsocket.Send(p.fd, welcome, unix.MSG_DONTWAIT)
	if errno != 0 || n < len(welcome) {
		e.drop(p) // a fresh socket takes two bytes, unless its client is gone
	}
	return nil
}

func (e *echoer) drop(p *peer) {
	e.peers[p.number] = nil
	e.count(-1)
	e.server.mu.Lock()
	e.seats--
	e.server.mu.Unlock()
	e.server.leave(p)
}

// serve reads once and writes once. It returns false if nothing happened.
func (e *echoer) serve(p *peer, flags int) (active bool) {
	if !p.answers {
		n, errno := rawsocket.Receive(p.fd, p.message[p.at:], flags)
		if errno != 0 || n == 0 {
			return e.judge(p, errno)
		}
		if p.at == 0 {
			p.tick = e.tickNs
		}
		if p.at += n; p.at < len(p.message) {
			return true
		}
		p.answers, p.at = true, 0
	}
	n, errno := rawsocket.Send(p.fd, p.message[p.at:], flags)
	if errno != 0 {
		return e.judge(p, errno)
	}
	if p.at += n; p.at == len(p.message) {
		p.answers, p.at, p.tick = false, 0, e.tickNs
	}
	e.block(p, p.answers)
	return true
}

// judge handles a system call that moved nothing: it waits, or ends the peer.
func (e *echoer) judge(p *peer, errno unix.Errno) (active bool) {
	switch errno {
	case unix.EINTR:
		return false
	case unix.EAGAIN:
		e.block(p, p.answers)
		return false
	}
	e.drop(p)
	return true
}

// block makes the poller look for room to send instead of input, or for input again.
func (e *echoer) block(p *peer, blocked bool) {
	if p.blocked == blocked {
		return
	}
	p.blocked = blocked
	events := uint32(unix.EPOLLIN)
	if blocked {
		events = unix.EPOLLOUT
	}
	if err := e.poller.Watch(unix.EPOLL_CTL_MOD, p.fd, p.number, events); err != nil {
		e.drop(p)
	}
}

// look ends peers that are overdue, now and then.
func (e *echoer) look(nowNs int64) {
	if nowNs-e.tickNs < int64(tick) {
		return
	}
	e.tickNs = nowNs
	for _, p := range e.peers {
		if p == nil {
			continue
		}
		limit := e.server.limits.idle
		if p.answers || p.at > 0 {
			limit = e.server.limits.message
		}
		if nowNs-p.tick > int64(limit) {
			e.drop(p)
		}
	}
}
