package mica

// peerQueue is a queue of connections, first in, first out, in constant time.
type peerQueue struct {
	items []*peer // items[first:] wait
	first int
}

func (q *peerQueue) len() int { return len(q.items) - q.first }

// add appends a connection. It reuses the room of removed ones before it allocates more.
func (q *peerQueue) add(p *peer) {
	if len(q.items) == cap(q.items) && 2*q.first >= len(q.items) && q.first > 0 {
		n := copy(q.items, q.items[q.first:])
		clear(q.items[n:])
		q.items, q.first = q.items[:n], 0
	}
	q.items = append(q.items, p)
}

// remove removes the first connection of a queue that is not empty.
func (q *peerQueue) remove() *peer {
	p := q.items[q.first]
	q.items[q.first] = nil
	if q.first++; q.first == len(q.items) {
		q.items, q.first = q.items[:0], 0
	}
	return p
}
