package shm

import (
	"sync/atomic"
	"time"

	"dpukv/internal/cpu"
	"dpukv/verbs"
)

// routes are the lanes that a UD queue pair has taken, by address handle and queue pair number.
type routes struct {
	all map[uint64]*route
	// searched is the time of the last search for dead owners of a destination's lanes that found
	// all alive. See [cpu.NowNs].
	searched map[uint64]int64
}

const (
	// searchAgainAfter limits searches for a destination without a free lane. Checking all owners
	// takes some hundred system calls. A peer that keeps its lanes taken must not cost that for
	// each datagram.
	searchAgainAfter = 100 * time.Millisecond
	// mostSearched is the number of such destinations that are remembered.
	mostSearched = 1024
)

// maySearch reports whether a search is allowed now.
func (r *routes) maySearch(key uint64) bool {
	now := cpu.NowNs()
	if last, ok := r.searched[key]; ok && now-last < int64(searchAgainAfter) {
		return false
	}
	if r.searched == nil || len(r.searched) == mostSearched {
		r.searched = map[uint64]int64{}
	}
	r.searched[key] = now
	return true
}

// route leads to one queue pair of a peer.
type route struct {
	lane   lane
	peer   *peer
	number uint32 // of the peer's queue pair
	qkey   uint32 // of the peer's queue pair
}

func routeKey(ah, qpn uint32) uint64 { return uint64(ah)<<32 | uint64(qpn) }

// leads reports whether a route still leads to a work request's destination.
func (r *route) leads(q *qp, wr *verbs.SendWR) bool {
	handles := *q.device.handles.Load()
	return int(wr.AH) < len(handles) && handles[wr.AH] == r.peer &&
		r.peer.queue(r.number).number.Load() == wr.QPN
}

// to finds the route of a datagram, and takes a lane for the first one. If there is no route, at
// and why are the arena and the counter of the reason.
func (q *qp) to(wr *verbs.SendWR) (r *route, at *arena, why counter) {
	handles := *q.device.handles.Load()
	if int(wr.AH) >= len(handles) || handles[wr.AH] == nil {
		return nil, q.device.arena, badQPN
	}
	p := handles[wr.AH]
	key := routeKey(wr.AH, wr.QPN)
	if r = q.routes.all[key]; r != nil && !r.leads(q, wr) {
		q.forget(key, r)
		r = nil
	}
	if r == nil {
		if r, why = q.newRoute(p, wr.QPN, key); r == nil {
			return nil, p.arena, why
		}
		if q.routes.all == nil {
			q.routes.all = map[uint64]*route{}
		}
		q.routes.all[key] = r
	}
	return r, p.arena, 0
}

func (q *qp) newRoute(p *peer, number uint32, key uint64) (*route, counter) {
	e := p.queue(number)
	if number == 0 || e.number.Load() != number || e.kind.Load() != uint32(verbs.UD) {
		return nil, badQPN
	}
	l, why := q.takeLane(p, e, key)
	if l == nil {
		return nil, why
	}
	q.device.hold(p)
	return &route{*l, p, number, e.qkey.Load()}, 0
}

// takeLane takes a free lane of a destination, or one whose owner is dead.
func (q *qp) takeLane(p *peer, e *queueEntry, key uint64) (*lane, counter) {
	ring, units, lanes := e.ring.Load(), e.units.Load(), e.lanes.Load()
	if ring == 0 {
		return nil, noReceive
	}
	if !p.holdsRing(ring, units, lanes) {
		return nil, badMessage // the peer's memory is corrupt
	}
	for i := range lanes {
		if l := p.lane(ring, units, i); l.head.owner.CompareAndSwap(0, q.device.arena.tag) {
			return q.claim(e, &l, i), 0
		}
	}
	if !q.routes.maySearch(key) {
		return nil, noLane
	}
	for i := range lanes {
		l := p.lane(ring, units, i)
		owner := l.head.owner.Load()
		if ownerDead(l.head, owner) && l.head.owner.CompareAndSwap(owner, q.device.arena.tag) {
			return q.claim(e, &l, i), 0
		}
	}
	return nil, noLane
}

// holdsRing reports whether the lanes in a peer's entry lie in its heap, as makeRing would have
// placed them. Misaligned words would not be atomic.
func (a *arena) holdsRing(ring uint64, units, lanes uint32) bool {
	if units < minUnits || units > maxUnits || units&(units-1) != 0 || lanes > udLanes {
		return false
	}
	end, need := uint64(len(a.mapped)), laneBytes(units)*uint64(lanes)
	return ring >= heapStart && ring%uint64(pageBytes) == 0 && ring <= end && need <= end-ring
}

// claim takes ownership of a lane. It continues where the last owner stopped: after the last
// complete message.
func (q *qp) claim(e *queueEntry, l *lane, number uint32) *lane {
	l.head.queue.Store(q.number)
	l.head.fd.Store(uint32(q.device.handle.fd))
	l.head.pid.Store(uint32(q.device.handle.pid))
	l.seen = l.head.head.Load()
	l.at = l.seen
	for l.at-l.seen <= l.mask {
		m := message{word: atomic.LoadUint64((*uint64)(l.unit(l.at)))}
		if m.word&lapMask != l.lap(l.at) || m.flags()&flagPresent == 0 || !m.sound(l) {
			break
		}
		l.at += m.units()
	}
	for used := e.used.Load(); used <= number; used = e.used.Load() {
		e.used.CompareAndSwap(used, number+1)
	}
	return l
}

// ownerDead checks whether a lane's owner still exists: its process, its device, its queue pair.
func ownerDead(head *laneHeader, owner uint64) bool {
	pid, fd, queue := head.pid.Load(), head.fd.Load(), head.queue.Load()
	if pid == 0 || owner == 0 {
		return false // a sender is just taking it, or giving it back
	}
	return !reaches(int(pid), int(fd), owner, queue)
}

// forget gives a route's lane back, if the destination queue pair still exists.
func (q *qp) forget(key uint64, r *route) {
	if r.peer.queue(r.number).number.Load() == r.number {
		release(r.lane.head)
	}
	delete(q.routes.all, key)
	_ = q.device.detach(r.peer) // the memory is no longer needed, mapped or not
}

// leave gives all lanes back.
func (q *qp) leave() {
	for key, r := range q.routes.all {
		q.forget(key, r)
	}
	if q.toPeer != nil {
		release(q.toPeer.head)
		q.toPeer = nil
	}
}

func release(head *laneHeader) {
	head.pid.Store(0)
	head.owner.Store(0)
}
