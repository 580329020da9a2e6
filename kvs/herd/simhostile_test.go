package herd

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"time"
	"unsafe"

	"dpukv/kvs"
	"dpukv/verbs"
)

func ptr(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

// hostile is a client that does what no client should.
type hostile struct {
	*simClient
	deaf bool   // does not read
	mute bool   // says what it has begun with, and no more
	last []byte // what it wrote last into a slot
}

// newHostile connects. Some clients send a hello, or a part of it, and then nothing for as long as
// they can.
func (s *sim) newHostile() *hostile {
	h := &hostile{simClient: s.newClient(false), mute: s.world.OneIn(6)}
	if !h.mute {
		return h
	}
	greeting := append(frameOf(kindHello, "{}"), frameOf(kindAsk, "{}")...)
	n := s.world.IntN(len(greeting) + 1)
	h.give("this, and then nothing", greeting[:n])
	return h
}

// act is one of its steps. It reports whether it goes on.
func (h *hostile) act() bool {
	w := h.sim.world
	if !h.deaf {
		h.listen()
	}
	switch {
	case h.conn.over():
		return false
	case h.conn.overdue():
		w.Failf("%s has sent no whole frame since %v, or read none since %v, and lives at %v",
			h, h.conn.since, h.conn.blocked, time.Now())
	case h.mute:
		return true
	case w.OneIn(60):
		w.Note("%s leaves", h)
		if w.OneIn(2) {
			h.conn.reset()
		} else {
			h.conn.hangUp()
		}
		return false
	case h.slots != nil && !w.OneIn(8):
		h.spoilSlots()
	default:
		h.spoilFrames()
	}
	return true
}

// spoilFrames speaks on the side channel.
func (h *hostile) spoilFrames() {
	w := h.sim.world
	read, waiting := h.conn.heard()
	if waiting {
		return
	}
	switch w.IntN(9) {
	case 0: // bytes one by one
		h.give("part of a header", frameOf(kindJoin, "{}")[:1+w.IntN(frameHeaderBytes-1)])
	case 1: // a header that promises
		b := frameOf(kind(w.IntN(9)), "")
		binary.LittleEndian.PutUint32(b[8:], w.Uint32())
		h.give("a header that promises", append(b, w.Bytes(w.IntN(64))...))
	case 2:
		h.give("random bytes", w.Bytes(1+w.IntN(64)))
	case 3:
		j, _ := makeFrame(kindJoin, h.spoiledJoin())
		h.give("a spoiled join", j)
	case 4:
		j, _ := makeFrame(kindJoin, h.join())
		j[frameHeaderBytes+w.IntN(len(j)-frameHeaderBytes)] = byte(w.Uint32())
		h.give("a mutated join", j)
	case 5:
		w.Note("%s asks and does not read", h)
		h.deaf = true
		for range 1 + w.IntN(30) {
			h.say(kindAsk, struct{}{})
		}
	default:
		h.enter(read)
	}
}

func (h *hostile) give(what string, b []byte) {
	h.sim.world.Note("%s sends %s: %q", h, what, b[:min(len(b), 40)])
	h.conn.give(b)
}

// enter behaves until there is a slots.
func (h *hostile) enter(begun bool) {
	switch {
	case !h.greeted && !begun:
		h.say(kindHello, hello{})
	case h.greeted && !h.asked:
		h.asked = true
		j := h.join()
		if h.sim.world.OneIn(3) { // nothing can be sent to it
			for _, l := range h.links {
				h.sim.device.unsendable[l.ud] = sendFault(1 + h.sim.world.IntN(2))
			}
		}
		h.say(kindJoin, j) // last: the server draws, too
	}
}

func (h *hostile) spoiledJoin() join {
	w := h.sim.world
	j := h.join()
	e := &j.Links[w.IntN(len(j.Links))]
	switch w.IntN(7) {
	case 0:
		e.UC.GID = verbs.GIDFromAddr(netip.MustParseAddr("255.255.255.255"))
		e.UD.GID = e.UC.GID
	case 1:
		e.UC.GID = verbs.GIDFromAddr(netip.MustParseAddr("224.0.0.1"))
		e.UD.GID = e.UC.GID
	case 2:
		e.UD.QPN, e.UC.QPN = w.Uint32(), w.Uint32()
	case 3:
		e.UD.MTU = w.IntN(9000)
	case 4:
		j.Slots = w.IntN(1<<20) - 9
	case 5:
		j.Links = append(j.Links, j.Links...)
	case 6:
		e.UD.QKey, e.UC.PSN = w.Uint32(), w.Uint32()
	}
	return j
}

// spoilSlots writes into slots, its own or others'.
func (h *hostile) spoilSlots() {
	w := h.sim.world
	l := h.links[w.IntN(len(h.links))]
	n := l.next + uint32(w.IntN(int(l.slots)))
	if w.OneIn(2) {
		n = l.next
	}
	slotBytes := h.sim.server.cfg.SlotBytes
	slot := make([]byte, slotBytes)
	k := w.Bytes(8)
	k[0] |= 0x80 // no honest client's
	k[1] = byte(w.IntN(4))
	for i := range k[2:] {
		k[2+i] = 0
	}
	op := kvs.Get + kvs.Op(w.IntN(4))
	var value []byte
	if op == kvs.Set || op == kvs.Add {
		value = w.Bytes(w.IntN(24))
	}
	hash := uint64(w.Uint32())<<16 | uint64(l.worker)<<63 | uint64(w.IntN(1<<16))
	size := putRequest(slot, n, &kvs.Request{Op: op, Key: k, Hash: hash}, value, h.sim.whole())
	request := slot[slotBytes-size:]
	word := (*control)(ptr(slot[slotBytes-wordBytes:]))
	what := "a request"
	switch w.IntN(10) {
	case 0, 1, 2: // as any client
		if n == l.next {
			l.next++
		}
	case 3:
		what = "a zero shape"
		*word &^= shapeMask
	case 4:
		what = "random bytes"
		copy(slot, w.Bytes(slotBytes))
		request = slot
	case 5:
		what = "a mutated request"
		request[len(request)-1-w.IntN(min(len(request), 24))] ^= 1 << w.IntN(8)
	case 6:
		what = "the last one again"
		if h.last != nil {
			request = slices.Clone(h.last)
			word = (*control)(ptr(request[len(request)-wordBytes:]))
			*word = word.again()
			n = word.sequence()
		}
	case 7:
		what = "the last one again as another"
		if h.last != nil {
			request = slices.Clone(h.last)
			word = (*control)(ptr(request[len(request)-wordBytes:]))
			*word = word.again() ^ control(w.Uint32())&shapeMask
			n = word.sequence()
		}
	case 8:
		h.writeToOthers(request)
		return
	case 9:
		what = "a foreign hash"
		request[len(request)-tailBytes+7] ^= 0x80
	}
	h.last = request
	w.Note("%s writes %s: %#x at worker %d", h, what, *word, l.worker)
	l.write(n, request)
}

// writeToOthers tries what an honest client's key opens.
func (h *hostile) writeToOthers(request []byte) {
	for _, c := range h.sim.honest {
		if c.slots == nil {
			continue
		}
		l := c.links[h.sim.world.IntN(len(c.links))]
		slotBytes := uint64(h.sim.server.cfg.SlotBytes)
		end := l.base + uint64(l.next&(l.slots-1)+1)*slotBytes
		word := makeControl(l.next, 7, 1, 0)
		binary.LittleEndian.PutUint64(request[len(request)-wordBytes:], uint64(word))
		h.sim.world.Note("%s writes into the slots of %s", h, c)
		own := h.slots.Links[l.worker].UC.QPN
		h.sim.device.write(own, c.slots.Region.RKey, end-uint64(len(request)), request)
		return
	}
}
