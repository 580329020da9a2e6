package mica

import (
	"fmt"

	"dpukv/kvs"
	"dpukv/kvs/mica/proxy"
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
	// pending[from:to] are the requests without an answer, in order, by number modulo the length.
	pending  []pending
	from, to uint
	failed   bool
	software bool // the device moves packets only in Progress
}

// pending is a request on its way.
type pending struct {
	p        *peer
	sequence uint64
	ops      int
	cameNs   int64
}

func newLane(end *mqueue.End, device verbs.Device, wait idle.Policy, pinned bool) *lane {
	shape := end.Facts().Shape
	return &lane{
		End: end, device: device, idle: idle.New(wait, pinned),
		most: shape.SlotBytes, share: max(shape.Slots/2, 1), pending: make([]pending, shape.Slots),
		software: device.Info().Emulated && device.Info().Provider != proxy.DefaultDevice,
	}
}

// accepts reports whether a connection can send a request now. A lane that has failed accepts it,
// and ends the connection.
func (l *lane) accepts(p *peer) bool {
	return l.failed || p.inLane < l.share && l.Slot() != nil
}

func (l *lane) limits() (bytes, unanswered int) { return l.most, l.share }

// begin shortens the sleeps of the loop's thread, which waits for answers.
func (l *lane) begin(w *worker) {
	ShortSleeps()
	if l.software {
		w.want(tick)
	}
}

// request sends a connection's request frame.
func (l *lane) request(p *peer, h header, frame []byte, cameNs int64) error {
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
	*l.at(l.to) = pending{p: p, sequence: h.sequence, ops: h.count, cameNs: cameNs}
	l.to++
	p.inLane++
	return nil
}

func (l *lane) at(n uint) *pending { return &l.pending[n%uint(len(l.pending))] }

// waits reports whether the loop must come back: for an answer, or for room that no answer gives.
func (l *lane) waits() bool { return l.from != l.to || l.Slot() == nil }

// restsAtOnce is how often a loop looks at its lane before it looks at its connections again,
// unless it has slept.
const restsAtOnce = 64

// serve hands out answers. While requests are on their way, the loop comes back, and looks at its
// connections in between.
func (l *lane) serve(w *worker) {
	if l.failed {
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

// tick moves the packets of a software device while no request is on its way: the store half may
// repeat its last answer, and wants it acknowledged. A NIC does that by itself.
func (l *lane) tick(w *worker) bool {
	if l.software && !l.failed && !l.waits() {
		if _, err := l.Poll(); err != nil {
			l.fail(w, err)
		}
	}
	return l.software && !l.failed
}

// count tells what the lane costs. The store half has the counters of the items.
func (l *lane) count(s *kvs.WorkerStats) { s.SpunNs = l.idle.SpunNs() }

// deliver writes the answers that have come. Those of one connection that follow each other leave
// together. None stays in w.out, which the next connection would send.
func (l *lane) deliver(w *worker) (got bool, err error) {
	if _, err := l.Poll(); err != nil {
		return false, err
	}
	var to *peer // w.out holds answers for it
	for err == nil {
		m, there := l.Receive()
		if !there {
			break
		}
		got = true
		a := l.answered()
		if to != nil && (to != a.p || m.Code != LaneAnswer || len(w.out) >= flushBytes) {
			to.send()
			to = nil
		}
		a.p.inLane--
		if err = a.check(&m); err == nil && w.forward(&a, &m) {
			to = a.p
		}
	}
	if to != nil {
		to.send()
	}
	return got, err
}

// answered removes the oldest request.
func (l *lane) answered() pending {
	a := *l.at(l.from)
	l.at(l.from).p = nil
	l.from++
	return a
}

// forward gives a message to its client. It reports whether w.out has an answer now.
func (w *worker) forward(a *pending, m *mqueue.Message) bool {
	switch {
	case a.p.closed || a.p.leaving:
		return false
	case m.Code != LaneAnswer:
		if a.p.last == "" { // else it is counted already
			w.counters.BadFrames++
		}
		a.p.endWithReason(string(m.Bytes))
		return false
	}
	w.counters.Frames++
	w.counters.Ops += uint64(a.ops)
	w.unwritten.add(a.ops, a.cameNs)
	w.out = append(w.out, m.Bytes...)
	return true
}

// check refuses a message that is not the answer to the request. The client could take it for one.
func (a *pending) check(m *mqueue.Message) error {
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

// send writes the answers that came from the lane.
func (p *peer) send() {
	if len(p.w.out) > shortBytes {
		p.short = 0
	}
	p.release() // flush counts all of what gnet holds
	switch {
	case !p.flush():
	case p.last != "":
		p.endAfterAnswers(p.last)
	case !p.blocked():
		p.finishTurn(false)
	}
}

// fail ends the server: its clients could wait for ever. They end with the next look at the wakeup,
// because answers for one of them may be in w.out now.
func (l *lane) fail(w *worker, err error) {
	l.failed = true
	for l.from != l.to {
		l.answered().p.inLane = 0
	}
	w.server.End(fmt.Errorf("the store half: %w", err))
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
