package sockets

import (
	"math/bits"

	"github.com/cespare/xxhash/v2"
)

// Group is a set of interchangeable connections of a session. They are used in turn, unless the
// order of each key's requests matters: then each key has one of them.
type Group[C Member] struct {
	Now C // whose batch is being filled

	load  groupLoad
	conns []C
	at    int
	turn  uint64 // of the session, at the last request
	used  bool   // Now got a request since its turn came
	byKey bool   // each key has a connection; used stays false
}

// NewGroup makes a group of connections to a number of server workers. byKey gives each key one of
// them, so that its requests stay in their order.
func NewGroup[C Member](workers int, byKey bool) Group[C] {
	return Group[C]{load: groupLoad{workers: workers}, byKey: byKey}
}

// add adds a connection.
func (l *Group[C]) add(c C) {
	l.conns = append(l.conns, c)
	l.Now = l.conns[0]
}

// next moves on to the next connection whose window has room. If there is none, it moves to the
// next one whose batch has room. Otherwise it changes nothing and returns false.
func (l *Group[C]) next() bool {
	at := l.load.open.after(l.at)
	if at < 0 {
		at = l.load.room.after(l.at)
	}
	if at < 0 {
		return false
	}
	l.at, l.Now, l.used = at, l.conns[at], false
	return true
}

// Pick makes Now a connection whose batch has room for the request that follows. It returns false
// if there is none. It stays with a connection until its window is full, so that batches leave
// together, or until the session has polled and none of its batches wait. A group by key returns
// false where the key's connection has no room, whatever room others have.
func (l *Group[C]) Pick(turn uint64, key []byte) bool {
	if l.byKey {
		l.at = PlaceOf(key, len(l.conns))
		l.Now = l.conns[l.at]
		return l.Now.Room()
	}
	if l.turn != turn {
		if l.turn = turn; l.used && !l.Now.Begun() {
			l.next()
		}
	}
	if !l.Now.Room() && !l.next() {
		return false
	}
	l.used = true
	return true
}

// PlaceOf is the place of a key among n. It does not depend on the bits of the key's hash that
// choose a server's worker.
func PlaceOf(key []byte, n int) int {
	return int(uint64(uint32(xxhash.Sum64(key))) * uint64(n) >> 32)
}

// Stays reports whether Pick keeps Now if its batch has room. A caller that knows the type of Now
// thereby saves a call for most requests.
func (l *Group[C]) Stays(turn uint64) bool { return l.used && l.turn == turn }

// Full must be called when the current batch is full. Full sends the batch if the window has room.
// If the window then has no room for another, the next connection's turn comes.
func (l *Group[C]) Full() (err error) {
	c := l.Now
	if c.Open() {
		err = reason(c, c.Send())
	} else { // it leaves when an answer comes
		l.load.room.remove(l.at)
	}
	if !c.Open() {
		l.next()
	}
	return err
}

// groupLoad is what the connections of a group tell each other and the group. They are numbered
// as they join.
type groupLoad struct {
	workers int    // of the server
	busy    int    // connections with requests that the server has not answered
	open    places // of the connections whose window has room
	room    places // of those whose batch has room
	joined  int
}

// join adds a connection, whose window and batch are empty.
func (l *groupLoad) join() (place int) {
	place = l.joined
	l.joined++
	if l.joined > 64*len(l.open) {
		l.open, l.room = append(l.open, 0), append(l.room, 0)
	}
	l.open.add(place)
	l.room.add(place)
	return place
}

// places is a set of connections. A search looks at 64 at a time, so that thousands of connections
// with full windows cost a client little.
type places []uint64

func (p places) add(place int)    { p[place>>6] |= 1 << (place & 63) }
func (p places) remove(place int) { p[place>>6] &^= 1 << (place & 63) }

// after returns the next place in turn, at last the given one itself. It returns -1 if the set is
// empty.
func (p places) after(place int) int {
	word, late := place>>6, uint64(2)<<(place&63)-1
	if set := p[word] &^ late; set != 0 {
		return word<<6 + bits.TrailingZeros64(set)
	}
	for range p {
		if word++; word == len(p) {
			word = 0
		}
		if p[word] != 0 {
			return word<<6 + bits.TrailingZeros64(p[word])
		}
	}
	return -1
}
