package shm

import (
	"fmt"
	"math/bits"
	"sync/atomic"
	"unsafe"

	"dpukv/internal/order"
	"dpukv/verbs"
)

// track is one sender's ring of a receiving queue pair, as seen by either end.
type track struct {
	head  *trackHeader
	units unsafe.Pointer
	mask  uint64 // units in the ring minus one
	shift uint   // shifts a position to its lap
	at    uint64 // position of the next message to write or to read
	seen  uint64 // sender: last known head of the receiver; receiver: last published head
}

func (a *arena) track(ring uint64, units, number uint32) track {
	start := ring + uint64(number)*trackBytes(units)
	return track{
		head: (*trackHeader)(a.at(start)), units: a.at(start + uint64(trackHeadBytes)),
		mask: uint64(units - 1), shift: uint(bits.TrailingZeros32(units)),
	}
}

func trackBytes(units uint32) uint64 { return uint64(trackHeadBytes) + unitBytes*uint64(units) }

func (t *track) unit(position uint64) unsafe.Pointer {
	return unsafe.Add(t.units, (position&t.mask)*unitBytes)
}

// lap returns a position's round of the ring, counted from 1.
func (t *track) lap(position uint64) uint64 { return (position>>(t.shift&63) + 1) & lapMask }

// makeRing makes a queue pair's tracks and publishes them to senders.
func (q *qp) makeRing(bufferBytes int) error {
	if q.kind == verbs.UD {
		bufferBytes = max(bufferBytes-verbs.GRHBytes, 0)
	}
	tracks := uint32(1)
	if q.kind == verbs.UD {
		tracks, bufferBytes = udTracks, min(bufferBytes, MTU)
	}
	want := min(uint64(q.posted.depth)*unitsFor(min(bufferBytes, maxMessage)), maxUnits)
	units := max(uint32(1)<<bits.Len64(want-1), minUnits)
	bytes := int(trackBytes(units)) * int(tracks)

	d := q.device
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return verbs.ErrClosed
	}
	ring, err := d.heap.alloc(bytes)
	if err != nil {
		return fmt.Errorf("make a receive ring for %d messages: %w", q.posted.depth, err)
	}
	q.ring, q.ringBytes = ring, bytes
	for i := range tracks {
		q.tracks = append(q.tracks, d.arena.track(ring, units, i))
	}
	e := q.entry()
	e.units.Store(units)
	e.tracks.Store(tracks)
	e.ring.Store(ring)
	q.recv.add(&q.recv.receivers, q)
	return nil
}

// receive copies messages into posted buffers, and fills wcs with their completions.
func (q *qp) receive(wcs []verbs.WC) int {
	n := 0
	for i := range q.tracks[:min(int(q.entry().used.Load()), len(q.tracks))] {
		n += q.drain(&q.tracks[i], wcs[n:])
	}
	return n
}

// touch loads the next units from l.at on that each hold a message, up to most. It does nothing
// else. Each unit is a cache line that the sender has just written, and so short a loop keeps many
// of these misses in flight.
func (t *track) touch(most int) {
	for at := t.at; most > 0; most-- {
		word := atomic.LoadUint64((*uint64)(t.unit(at)))
		if word&lapMask != t.lap(at) || word>>bytesShift > firstRoom {
			return
		}
		at++
	}
}

// drain takes the messages of one track.
func (q *qp) drain(t *track, wcs []verbs.WC) int {
	n := 0
	begin := t.at
	box := q.posted.open()
	var into grant
	for touched := 0; n < len(wcs); touched-- {
		if touched == 0 {
			touched = touchAhead
			t.touch(min(touchAhead, len(wcs)-n))
		}
		first := t.unit(t.at)
		word := atomic.LoadUint64((*uint64)(first))
		if word&lapMask != t.lap(t.at) || word>>flagsShift&flagPresent == 0 {
			break
		}
		m := message{word: word, source: *(*uint64)(unsafe.Add(first, wordBytes))}
		if !m.sound(t) {
			q.device.arena.count(badMessage) // corrupt: the next start is unknown
			break
		}
		wr := box.next()
		if wr == nil {
			if q.kind == verbs.RC {
				break
			}
			q.device.arena.count(noReceive)
			if t.at += m.units(); t.at-begin > t.mask {
				break // a sender that never stops must not block the others
			}
			continue
		}
		q.accept(t, m, first, wr, &into, &wcs[n])
		t.at += m.units()
		n++
	}
	box.close()
	// The sender looks at the head only when the ring seems full, so the receiver need not publish
	// each message.
	if t.at != begin && t.at-t.seen > t.mask/4 {
		t.tell()
	}
	return n
}

func (t *track) tell() {
	t.seen = t.at
	t.head.head.Store(t.at)
}

// message is the head of a message in a track.
type message struct{ word, source uint64 }

func (m message) bytes() int { return int(m.word >> bytesShift) }
func (m message) flags() int { return int(m.word>>flagsShift) & 0xffff }

// payload returns the number of payload bytes in the track.
func (m message) payload() int {
	if m.flags()&flagWrite != 0 {
		return 0
	}
	return m.bytes()
}

func (m message) units() uint64 { return unitsFor(m.payload()) }

func (m message) sound(t *track) bool {
	return m.flags()&^messageFlags == 0 && m.bytes() <= maxMessage && m.units() <= t.mask+1
}

// accept copies a message into a posted buffer. into is the region of the previous buffer.
func (q *qp) accept(
	t *track, m message, first unsafe.Pointer, wr *verbs.RecvWR, into *grant, wc *verbs.WC,
) {
	// Field by field, in place: if the struct were built elsewhere and copied in larger pieces,
	// each piece would wait until its fields have left the store buffer.
	wc.ID, wc.Op, wc.Status = wr.ID, verbs.WCRecv, verbs.StatusSuccess
	wc.Bytes, wc.QPN, wc.SrcQPN = uint32(m.bytes()), q.number, uint32(m.source>>sourceShift)
	wc.Imm, wc.HasImm = uint32(m.source), m.flags()&flagImm != 0
	if m.flags()&flagWrite != 0 {
		wc.Op = verbs.WCRecvWriteImm
		return
	}
	skip := uint32(0)
	if q.kind == verbs.UD {
		skip = verbs.GRHBytes
		wc.Bytes += skip
	}
	dst, ok := into.span(wr.Local.LKey, wr.Local.Addr, wr.Local.Length)
	if !ok {
		*into, _, _ = q.device.arena.look(wr.Local.LKey, q.pd, verbs.LocalWrite)
		dst, ok = into.span(wr.Local.LKey, wr.Local.Addr, wr.Local.Length)
	}
	switch {
	case wr.Local.Length < wc.Bytes:
		q.device.arena.count(receiveTooSmall)
		wc.Status = verbs.StatusLocalLength
	case !ok && wr.Local.Length > 0:
		q.device.arena.count(badLKey)
		wc.Status = verbs.StatusLocalProtect
	default:
		dst, n := unsafe.Add(dst, skip), uintptr(m.bytes())
		if n > firstRoom {
			t.copyRest(unsafe.Add(dst, firstRoom), n-firstRoom)
			n = firstRoom
		}
		move(dst, unsafe.Add(first, firstPayload), n)
	}
}

// copyRest copies the payload behind the first unit of the message at l.at.
func (t *track) copyRest(dst unsafe.Pointer, n uintptr) {
	for position := t.at + 1; n > 0; position++ {
		part := min(n, otherRoom)
		move(dst, unsafe.Add(t.unit(position), otherPayload), part)
		dst, n = unsafe.Add(dst, part), n-part
	}
}

// put writes a message of n bytes, payload of which lie at src. It returns false if the ring has no
// room.
func (t *track) put(src unsafe.Pointer, payload uintptr, n uint32, flags int, source uint64) bool {
	end := t.at + unitsFor(int(payload))
	if end-t.seen > t.mask+1 {
		if t.seen = t.head.head.Load(); end-t.seen > t.mask+1 {
			return false
		}
	}
	first := t.unit(t.at)
	if payload > firstRoom {
		t.putRest(unsafe.Add(src, firstRoom), payload-firstRoom)
		payload = firstRoom
	}
	move(unsafe.Add(first, firstPayload), src, payload)
	*(*uint64)(unsafe.Add(first, wordBytes)) = source
	order.Store64((*uint64)(first), uint64(n)<<bytesShift|uint64(flags)<<flagsShift|t.lap(t.at))
	t.at = end
	return true
}

// putRest fills the units behind the first one of a message.
func (t *track) putRest(src unsafe.Pointer, n uintptr) {
	for position := t.at + 1; n > 0; position++ {
		part := min(n, otherRoom)
		unit := t.unit(position)
		*(*uint64)(unit) = 0
		move(unsafe.Add(unit, otherPayload), src, part)
		src, n = unsafe.Add(src, part), n-part
	}
}

// expect prefetches the lines of the next n units for writing.
func (t *track) expect(n int) {
	at := t.at & t.mask
	straight := min(uint64(n), t.mask+1-at)
	prefetchWrite(t.unit(t.at), uintptr(straight))
	prefetchWrite(t.units, uintptr(uint64(n)-straight)&uintptr(t.mask))
}
