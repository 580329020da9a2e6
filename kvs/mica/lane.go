package mica

import (
	"fmt"
	"time"

	"dpukv/kvs/partition"
	"dpukv/verbs"
	"dpukv/verbs/idle"
	"dpukv/verbs/mqueue"

	"golang.org/x/sys/unix"
)

// These are the codes of messages from a worker of a store half.
const (
	LaneAnswer  uint16 = 0 // the message is an answer frame
	LaneFailure uint16 = 1 // the message tells why the request frame is illegal
)

// Execute executes a request frame, and appends its answer frame to out, within the capacity of
// out. It is for the workers of a store half. A frame that is illegal changes nothing.
func Execute(
	core *partition.Core, frame []byte, scratch []partition.Op, out []byte,
) (answer []byte, ops int, err error) {
	if len(frame) < headerBytes {
		return nil, 0, fmt.Errorf("frame: found %d bytes, allowed: at least %d", len(frame),
			headerBytes)
	}
	h, err := parseHeader(frame)
	switch {
	case err != nil:
		return nil, 0, err
	case h.bytes != len(frame) || h.kind != kindRequest:
		return nil, 0, fmt.Errorf("frame: found kind %d of %d bytes in a message of %d, allowed: "+
			"a request of the same length", h.kind, h.bytes, len(frame))
	case answerHead(h.count) > cap(out)-len(out):
		return nil, 0, fmt.Errorf("frame: found %d operations, allowed: as many as have room in "+
			"%d bytes", h.count, cap(out)-len(out))
	}
	list, err := parseRequest(frame[headerBytes:], h.count, scratch)
	if err != nil {
		return nil, 0, err
	}
	return execute(core, h.sequence, list, out, cap(out)-len(out)), len(list), nil
}

// Napping is how a thread of a half waits: it soon sleeps. Its latency is worse by about a sleep at
// low load, and its CPU time is that of its work.
var Napping = idle.Policy{Spin: 10 * time.Microsecond, Nap: 20 * time.Microsecond}

// ShortSleeps lets the calling thread wake up when its sleep is over. The kernel's default may add
// 50 µs, to wake several threads at once.
func ShortSleeps() { _ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) } // else sleeps are longer

// lane takes the requests of an engine's thread to a worker of the store half, and the answers back
// to the connections. Any number of connections share it. It belongs to the loop's thread.
type lane struct {
	*mqueue.End
	device verbs.Device
	idle   *idle.Idle
	most   int // bytes of a request
	// asked[from:to] are the requests without an answer, in order, by their number modulo the
	// length.
	asked    []asked
	from, to uint
	failed   bool
}

// asked is a request on its way.
type asked struct {
	p      *peer
	ops    int
	cameNs int64
}

func newLane(end *mqueue.End, device verbs.Device) *lane {
	shape := end.Facts().Shape
	return &lane{
		End: end, device: device, idle: idle.New(Napping, false),
		most: shape.SlotBytes, asked: make([]asked, shape.Slots),
	}
}

// hasRoom reports whether a request can be sent now. A lane that has failed takes it, and ends the
// connection.
func (l *lane) hasRoom() bool { return l.failed || l.Slot() != nil }

// ask sends a connection's request frame.
func (l *lane) ask(p *peer, h *header, frame []byte) error {
	if l.failed {
		return errStoreGone
	}
	n := copy(l.Slot(), frame)
	err := l.Send(n, 0)
	if err == nil {
		_, err = l.Poll()
	}
	if err != nil {
		l.fail(p.w, err)
		return errStoreGone
	}
	if l.from == l.to {
		p.w.mail.ring() // from now on the loop polls the lane
	}
	l.asked[l.to%uint(len(l.asked))] = asked{p: p, ops: h.count}
	l.to++
	return nil
}

// came notes when the last byte of the last request was read.
func (l *lane) came(ns int64) {
	if !l.failed {
		l.asked[(l.to-1)%uint(len(l.asked))].cameNs = ns
	}
}

// restsAtOnce is how often a loop looks at its lane before it looks at its connections again.
const restsAtOnce = 64

// serveLane hands out answers. While requests are on their way, the loop comes back, and looks at
// its connections in between.
func (w *worker) serveLane() {
	l := w.lane
	if l == nil || l.failed || l.from == l.to {
		return
	}
	for range restsAtOnce {
		got, err := l.deliver(w)
		if err == nil && !got {
			err = l.idle.Rest(l.device)
		}
		if err != nil {
			l.fail(w, err)
			return
		}
		if got {
			l.idle.Reset()
			break
		}
	}
	if l.from != l.to {
		w.mail.ring()
	}
}

// deliver writes the answers that have come. Those of one connection that follow each other leave
// together.
func (l *lane) deliver(w *worker) (got bool, err error) {
	if _, err := l.Poll(); err != nil {
		return false, err
	}
	var to *peer
	for {
		m, there := l.Receive()
		if !there {
			break
		}
		got = true
		a := &l.asked[l.from%uint(len(l.asked))]
		l.from++
		if to != nil && (to != a.p || len(w.out) >= flushBytes) {
			to.send()
		}
		to = a.p
		a.p = nil
		if to.closed || to.leaving {
			to = nil
			continue
		}
		if m.Code != LaneAnswer {
			w.counters.BadFrames++
			to.endWithReason(string(m.Bytes))
			to = nil
			continue
		}
		w.counters.Frames++
		w.counters.Ops += uint64(a.ops)
		w.unwritten.add(a.ops, a.cameNs)
		w.out = append(w.out, m.Bytes...)
	}
	if to != nil {
		to.send()
	}
	return got, nil
}

// send writes the answers that came from the lane.
func (p *peer) send() {
	p.release() // flush counts all of what gnet holds
	if p.flush() && !p.blocked() {
		p.finishTurn(false)
	}
}

// fail ends the server: its clients could wait for ever.
func (l *lane) fail(w *worker, err error) {
	l.failed = true
	l.from = l.to
	w.server.ended(fmt.Errorf("the store half: %w", err))
	for i := len(w.peers) - 1; i >= 0; i-- { // an ended peer is replaced by the last one
		if p := w.peers[i]; !p.closed && !p.leaving && p.greeted {
			p.endWithReason(errStoreGone.Error())
		}
	}
}
