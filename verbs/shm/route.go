package shm

import (
	"sync/atomic"
	"time"

	"dpukv/internal/cpu"
	"dpukv/verbs"
)

// routes are the tracks that a UD queue pair has taken, by address handle and queue pair number.
type routes struct {
	all map[uint64]*route
	// searched is the time of the last search for dead owners of a destination's tracks that found
	// all alive. See [cpu.NowNs].
	searched map[uint64]int64
}

const (
	// searchAgainAfter limits searches for a destination without a free track. Checking all owners
	// takes some hundred system calls. A peer that keeps its tracks taken must not cost that for
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
	track  track
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

// to finds the route of a datagram, and takes a track for the first one. If there is no route, at
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
	t, why := q.seize(p, e, key)
	if t == nil {
		return nil, why
	}
	q.device.hold(p)
	return &route{*t, p, number, e.qkey.Load()}, 0
}

// seize takes a free track of a destination, or one whose owner is dead.
func (q *qp) seize(p *peer, e *queueEntry, key uint64) (*track, counter) {
	ring, units, tracks := e.ring.Load(), e.units.Load(), e.tracks.Load()
	if ring == 0 {
		return nil, noReceive
	}
	if !p.holdsRing(ring, units, tracks) {
		return nil, badMessage // the peer's memory is corrupt
	}
	for i := range tracks {
		if t := p.track(ring, units, i); t.head.owner.CompareAndSwap(0, q.device.arena.tag) {
			return q.claim(e, &t, i), 0
		}
	}
	if !q.routes.maySearch(key) {
		return nil, noTrack
	}
	for i := range tracks {
		t := p.track(ring, units, i)
		owner := t.head.owner.Load()
		if ownerDead(t.head, owner) && t.head.owner.CompareAndSwap(owner, q.device.arena.tag) {
			return q.claim(e, &t, i), 0
		}
	}
	return nil, noTrack
}

// holdsRing reports whether the tracks in a peer's entry lie in its heap, as makeRing would have
// placed them. Misaligned words would not be atomic.
func (a *arena) holdsRing(ring uint64, units, tracks uint32) bool {
	if units < minUnits || units > maxUnits || units&(units-1) != 0 || tracks > udTracks {
		return false
	}
	end, need := uint64(len(a.mapped)), trackBytes(units)*uint64(tracks)
	return ring >= heapStart && ring%uint64(pageBytes) == 0 && ring <= end && need <= end-ring
}

// claim takes ownership of a track. It continues where the last owner stopped: after the last
// complete message.
func (q *qp) claim(e *queueEntry, t *track, number uint32) *track {
	t.head.queue.Store(q.number)
	t.head.fd.Store(uint32(q.device.handle.fd))
	t.head.pid.Store(uint32(q.device.handle.pid))
	t.seen = t.head.head.Load()
	t.at = t.seen
	for t.at-t.seen <= t.mask {
		m := message{word: atomic.LoadUint64((*uint64)(t.unit(t.at)))}
		if m.word&lapMask != t.lap(t.at) || m.flags()&flagPresent == 0 || !m.sound(t) {
			break
		}
		t.at += m.units()
	}
	for used := e.used.Load(); used <= number; used = e.used.Load() {
		e.used.CompareAndSwap(used, number+1)
	}
	return t
}

// ownerDead checks whether a track's owner still exists: its process, its device, its queue pair.
func ownerDead(head *trackHeader, owner uint64) bool {
	pid, fd, queue := head.pid.Load(), head.fd.Load(), head.queue.Load()
	if pid == 0 || owner == 0 {
		return false // a sender is just taking it, or giving it back
	}
	return !reaches(int(pid), int(fd), owner, queue)
}

// forget gives a route's track back, if the destination queue pair still exists.
func (q *qp) forget(key uint64, r *route) {
	if r.peer.queue(r.number).number.Load() == r.number {
		release(r.track.head)
	}
	delete(q.routes.all, key)
	_ = q.device.detach(r.peer) // the memory is no longer needed, mapped or not
}

// leave gives all tracks back.
func (q *qp) leave() {
	for key, r := range q.routes.all {
		q.forget(key, r)
	}
	if q.toPeer != nil {
		release(q.toPeer.head)
		q.toPeer = nil
	}
}

func release(head *trackHeader) {
	head.pid.Store(0)
	head.owner.Store(0)
}
