package mica

import (
	"bytes"
	"fmt"
	"time"

	"dpukv/kvs"

	"github.com/go-faster/city"
)

// habit is what a hostile client does on one connection.
type habit int

const (
	mute habit = iota
	dripsHello
	swells   // before its hello
	begins   // large frames, and drips
	babbles  // bytes without a sense
	mutates  // legal frames
	asksOn   // without end
	deaf     // never reads
	greedy   // asks for large values faster than they come, and reads all
	quits    // in the middle of anything
	comesIn  // and goes at once
	anyHabit // how many there are
)

func (h habit) String() string {
	return [...]string{
		"is silent", "drips its hello", "swells", "begins frames", "babbles", "mutates frames", "asks on", "is deaf",
		"is greedy", "quits", "comes and goes",
	}[h]
}

// bigValueBytes is the size of the values that hostile clients ask for.
const bigValueBytes = 60_000

// enemy is a client that does not keep the protocol.
type enemy struct {
	sim    *sim
	number int
	s      *tcp
	worker int
	habit  habit
	out    []byte

	begunNs int64 // when the server had begun to read a frame that never ends; 0: not yet
	fullNs  int64 // since when nothing can go either way
	leaving bool  // the server has told it to
}

func (h *enemy) act() {
	switch {
	case h.s == nil:
		h.connect()
	case h.s.closed || h.s.reset || !h.waits() && h.sim.OneIn(60):
		h.s.hangUp(h.sim.OneIn(2))
		h.s = nil
	default:
		h.misbehave()
	}
}

// waits are habits that only the server puts an end to.
func (h *enemy) waits() bool { return h.habit <= begins || h.habit == deaf }

func (h *enemy) connect() {
	h.worker = h.sim.IntN(len(h.sim.loops))
	h.habit = habit(h.sim.IntN(int(anyHabit)))
	inCap, outCap := 1<<10<<h.sim.IntN(10), 4<<10<<h.sim.IntN(8)
	if h.habit == greedy {
		inCap, outCap = 512<<10, 64<<20
	}
	if h.s = h.sim.listeners[h.worker].connect(inCap, outCap); h.s == nil {
		return
	}
	h.begunNs, h.fullNs, h.out = 0, 0, nil
	if h.habit > swells && h.habit != babbles {
		h.out = helloFrame()
	}
	h.sim.Note("hostile %d connects to worker %d: %v", h.number, h.worker, h.habit)
}

func (h *enemy) misbehave() {
	s := h.sim
	switch h.habit {
	case dripsHello:
		if h.s.taken+len(h.s.in)+len(h.out) < helloBytes-1 {
			h.out = append(h.out, helloFrame()[h.s.taken+len(h.s.in)+len(h.out)])
		}
	case swells:
		h.begin(kindHello, 0)
	case begins:
		h.begin(kindRequest, helloBytes)
	case babbles:
		h.out = append(h.out, s.Bytes(1+s.IntN(100))...)
	case mutates:
		h.out = append(h.out, h.mutated()...)
	case asksOn:
		h.out = append(h.out, bytes.Repeat(control(kindAsk, 7, nil), 1+s.IntN(50))...)
	case deaf, greedy:
		if h.habit == deaf && len(h.s.out) == h.s.outCap {
			break // it waits whose timeout comes first
		}
		if !s.OneIn(4) {
			h.out = append(h.out, h.gets(130)...)
			break
		}
		key, hash := s.bigKey(h.worker)
		for range 40 { // more than belongs into a turn
			h.out = append(h.out, getFrame(key, hash, 10)...)
		}
	case quits:
		frame := h.gets(130)
		h.s.send(append(h.out, frame[:s.IntN(len(frame))]...))
		h.s.hangUp(s.OneIn(2))
	case comesIn:
		h.s.hangUp(s.OneIn(2))
	}
}

// begin sends the start of a large frame after a number of bytes, and more of it later.
func (h *enemy) begin(k kind, after int) {
	if h.s.taken+len(h.s.in)+len(h.out) <= after {
		head := make([]byte, headerBytes)
		putHeader(head, header{bytes: MaxFrameBytes - h.sim.IntN(1<<20), kind: k, count: 1})
		h.out = append(h.out, head...)
	}
	if h.s.taken < 4<<20 {
		h.out = append(h.out, make([]byte, h.sim.IntN(100_000)/(1+h.sim.IntN(1000)))...)
	}
}

// mutated returns a legal frame, mostly with some illegal bytes.
func (h *enemy) mutated() []byte {
	frame := make([]byte, headerBytes)
	n := 1 + h.sim.IntN(4)
	for range n {
		frame = appendRequest(frame, kvs.Op(1+h.sim.IntN(4)), h.sim.Uint64(), h.sim.Bytes(1+h.sim.IntN(8)), nil)
	}
	putHeader(frame, header{bytes: len(frame), kind: kindRequest, count: n})
	for range h.sim.IntN(3) {
		frame[h.sim.IntN(len(frame))] = byte(h.sim.Uint32())
	}
	return frame
}

// gets requests the largest value several times, at most most. It may have to store the value
// first.
func (h *enemy) gets(most int) []byte {
	key, hash := h.sim.bigKey(h.worker)
	if !h.sim.OneIn(10) {
		return getFrame(key, hash, 1+h.sim.IntN(most))
	}
	frame := appendRequest(make([]byte, headerBytes), kvs.Set, hash, key, make([]byte, bigValueBytes))
	putHeader(frame, header{bytes: len(frame), kind: kindRequest, count: 1})
	return frame
}

// getFrame asks n times for one key.
func getFrame(key []byte, hash uint64, n int) []byte {
	frame := make([]byte, headerBytes)
	for range n {
		frame = appendRequest(frame, kvs.Get, hash, key, nil)
	}
	putHeader(frame, header{bytes: len(frame), kind: kindRequest, count: n})
	return frame
}

// bigKey is a key that a worker owns.
func (s *sim) bigKey(worker int) (key []byte, hash uint64) {
	for i := 0; ; i++ {
		key = fmt.Appendf(nil, "hostile-%d", i)
		if hash = city.Hash64(key); s.owner(hash) == worker {
			return key, hash
		}
	}
}

// keep moves bytes, in a connection whose client is still there.
func (h *enemy) keep() {
	if h.s == nil || h.s.gone() {
		return
	}
	h.out = h.out[h.s.send(h.out):]
	if len(h.out) > 1<<20 { // enough waits
		h.out = h.out[:1<<20]
	}
	if h.habit == greedy {
		h.s.out = h.s.out[:0]
	} else if h.habit != deaf && h.sim.OneIn(3) {
		h.s.receive(h.sim.IntN(10_000))
	}
}

// check limits the time that a client may take for its next step.
func (h *enemy) check() {
	s := h.s
	if s == nil || !s.accepted || s.gone() || s.finished {
		return
	}
	g := h.sim.served(s)
	if g == nil {
		h.sim.Failf("hostile client %d is neither served nor gone", h.number)
	}
	h.leaving = g.context.(*peer).leaving
	now, limit := h.sim.Now().UnixNano(), h.sim.server.timeouts
	if h.habit <= dripsHello {
		h.kept(now-s.atNs, limit.hello, "its hello")
	}
	if h.habit == begins && s.taken > helloBytes {
		if h.begunNs == 0 {
			h.begunNs = now
		}
		h.kept(now-h.begunNs, limit.frame, "the end of its frame")
	}
	if len(s.out) < s.outCap || len(g.held) == 0 {
		h.fullNs = 0
	} else if h.fullNs == 0 {
		h.fullNs = now
	} else {
		h.kept(now-h.fullNs, limit.unread, "reading")
	}
}

func (h *enemy) kept(ns int64, limit time.Duration, what string) {
	if h.leaving { // it was told so, and has to read that
		limit += h.sim.server.timeouts.unread
	}
	if ns > int64(limit+3*tickEvery+longestPause) { // what came is read after a pause, maybe
		h.sim.Failf("hostile client %d has owed %s for %v, and is kept", h.number, what, time.Duration(ns))
	}
}
