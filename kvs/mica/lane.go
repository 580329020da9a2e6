package mica

import (
	"fmt"

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
	share  int // requests of one connection at once: the rest is for the others
	// asked[from:to] are the requests without an answer, in order, by number modulo the length.
	asked    []asked
	from, to uint
	failed   bool
}

// asked is a request on its way.
type asked struct {
	p        *peer
	sequence uint64
	ops      int
	cameNs   int64
}

func newLane(end *mqueue.End, device verbs.Device, wait idle.Policy, pinned bool) *lane {
	shape := end.Facts().Shape
	return &lane{
		End: end, device: device, idle: idle.New(wait, pinned),
		most: shape.SlotBytes, share: max(shape.Slots/2, 1), asked: make([]asked, shape.Slots),
	}
}

// tick moves what a device without a thread of its own needs to move, such as acknowledgements.
// While requests are on their way the loop does it.
func (l *lane) tick(w *worker) {
	if l.failed || l.waits() {
		return
	}
	if _, err := l.Poll(); err != nil {
		l.fail(w, err)
	}
}

// takes reports whether a connection can send a request now. A lane that has failed takes it, and
// ends the connection.
func (l *lane) takes(p *peer) bool {
	return l.failed || p.asked < l.share && l.Slot() != nil
}

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
	*l.at(l.to) = asked{p: p, sequence: h.sequence, ops: h.count}
	l.to++
	p.asked++
	return nil
}

func (l *lane) at(n uint) *asked { return &l.asked[n%uint(len(l.asked))] }

// came notes when the last byte of the last request was read.
func (l *lane) came(ns int64) {
	if !l.failed {
		l.at(l.to - 1).cameNs = ns
	}
}

// waits reports whether the loop must come back: for an answer, or for room that no answer gives.
func (l *lane) waits() bool { return l.from != l.to || l.Slot() == nil }

// restsAtOnce is how often a loop looks at its lane before it looks at its connections again,
// unless it has slept.
const restsAtOnce = 64

// serveLane hands out answers. While requests are on their way, the loop comes back, and looks at
// its connections in between.
func (w *worker) serveLane() {
	l := w.lane
	switch {
	case l == nil:
		return
	case l.failed:
		w.endGreeted(errStoreGone)
		return
	}
	for tries := 0; l.waits() && tries < restsAtOnce; tries++ {
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
		}
		if got || l.idle.Slept() {
			break
		}
	}
	if l.waits() {
		w.mail.ring()
	}
}

// deliver writes the answers that have come. Those of one connection that follow each other leave
// together.
func (l *lane) deliver(w *worker) (got bool, err error) {
	if _, err := l.Poll(); err != nil {
		return false, err
	}
	var to *peer // w.out holds answers for it
	for {
		m, there := l.Receive()
		if !there {
			break
		}
		got = true
		a := *l.at(l.from)
		l.at(l.from).p = nil
		l.from++
		a.p.asked--
		err, failed := a.check(&m), m.Code != LaneAnswer
		if to != nil && (to != a.p || failed || err != nil || len(w.out) >= flushBytes) {
			to.send() // no other connection may find them in w.out
			to = nil
		}
		if err != nil {
			return got, err
		}
		switch {
		case a.p.closed || a.p.leaving:
		case failed:
			w.counters.BadFrames++
			a.p.endNow(string(m.Bytes))
		default:
			to = a.p
			w.add(&a, m.Bytes)
			if a.p.asked == 0 && a.p.why != "" {
				to.send()
				to = nil
				a.p.endNow(a.p.why)
			}
		}
	}
	if to != nil {
		to.send()
	}
	return got, nil
}

// check refuses a message that is not the answer to the request. The client could take it for one.
func (a *asked) check(m *mqueue.Message) error {
	switch {
	case m.Code == LaneFailure:
		return nil
	case m.Code != LaneAnswer:
		return fmt.Errorf("message of the store half: found code %d, allowed: %d, %d", m.Code,
			LaneAnswer, LaneFailure)
	case len(m.Bytes) < answerHead(a.ops):
		return fmt.Errorf("answer of the store half to %d operations: found %d bytes, allowed: at "+
			"least %d", a.ops, len(m.Bytes), answerHead(a.ops))
	}
	h, err := parseHeader(m.Bytes)
	if err != nil {
		return fmt.Errorf("answer of the store half: %w", err)
	}
	want := header{
		bytes: len(m.Bytes), version: protocolVersion, kind: kindAnswer, count: a.ops,
		sequence: a.sequence,
	}
	if h != want {
		return fmt.Errorf("answer of the store half: found header %+v, allowed: %+v", h, want)
	}
	return nil
}

// add puts an answer behind those that leave next.
func (w *worker) add(a *asked, answer []byte) {
	w.counters.Frames++
	w.counters.Ops += uint64(a.ops)
	w.unwritten.add(a.ops, a.cameNs)
	w.out = append(w.out, answer...)
}

// send writes the answers that came from the lane.
func (p *peer) send() {
	if len(p.w.out) > shortBytes {
		p.short = 0
	}
	p.release() // flush counts all of what gnet holds
	if p.flush() && !p.blocked() {
		p.finishTurn(false)
	}
}

// fail ends the server: its clients could wait for ever. They end with the next look at the wakeup,
// because answers for one of them may be in w.out now.
func (l *lane) fail(w *worker, err error) {
	l.failed = true
	l.from = l.to
	w.server.ended(fmt.Errorf("the store half: %w", err))
	w.mail.ring()
}

// endGreeted ends the connections that may wait for an answer.
func (w *worker) endGreeted(why error) {
	for i := len(w.peers) - 1; i >= 0; i-- { // an ended peer is replaced by the last one
		if p := w.peers[i]; !p.closed && !p.leaving && p.greeted {
			p.endWithReason(why.Error())
		}
	}
}
