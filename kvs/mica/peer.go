package mica

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/panjf2000/gnet/v2"
)

// peer is one connection as its worker sees it. It enforces all limits of a client.
//
// A worker serves a peer in turns. It answers complete frames, unless gnet still holds answers that
// the kernel did not take. So gnet's buffers hold at most the answers of one turn of a connection.
// The peer's own buffer holds the rest of its input.
//
// A connection gets a short turn when its bytes come, if its last [trustAfter] turns were short.
// All others, and the rest of its input, wait in line: see [worker.startsLong]. The worker answers
// a frame completely once it has begun. So a short turn can contain one long frame; the next turn
// is then in line.
type peer struct {
	w      *worker
	leave  func() // gives its place back to the door
	c      gnet.Conn
	at     int  // index in w.peers
	opened bool // gnet has opened it; never reset
	closed bool

	forgotten atomic.Bool // any thread may use it

	buf     []byte // buf[from:] is read and not answered; nil: nothing
	from    int
	unread  int // memory counted for answers that gnet holds; 0: it holds none
	account account
	arrived arrivals
	inLane  int // requests in the lane of an engine

	greeted bool
	short   int    // consecutive short turns; counts up to trustAfter
	parked  bool   // buf holds complete frames; the worker comes back to it
	last    string // the failure that it receives after its answers; then it takes no input
	leaving bool   // it has received a failure, and may now hang up
	refusal string // reason of its refusal: it does not count as a connection
	wasted  int    // bytes read while leaving

	round    uint64 // the round that answers its ask; 0: none pending
	sequence uint64 // of its ask

	due      obligation
	deadline int64
	listed   bool // in w.blocked
}

// open runs once gnet has the connection.
func (p *peer) open(c gnet.Conn) {
	p.c, p.opened, p.at = c, true, len(p.w.peers)
	p.w.peers = append(p.w.peers, p)
	if p.refusal != "" {
		p.endWithReason(p.refusal)
		return
	}
	p.w.counters.Connections++
	p.setDeadline(helloDue)
}

// close runs when gnet drops the connection. It frees everything that the connection held.
func (p *peer) close() {
	w := p.w
	p.closed, p.due = true, nothingDue
	p.drop()
	p.release()
	last := w.peers[len(w.peers)-1]
	w.peers[p.at], last.at = last, p.at
	w.peers = w.peers[:len(w.peers)-1]
	if p.refusal == "" {
		w.counters.Connections--
	}
	p.forget()
}

// forget returns the connection's place and memory.
func (p *peer) forget() {
	if p.forgotten.Swap(true) { // a loop that ends while it takes a connection may have run this
		return
	}
	if p.refusal == "" {
		p.w.server.budget.leave()
	} else {
		p.w.refusing.Add(-1)
	}
	p.leave()
}

// end makes gnet close the connection.
func (p *peer) end() {
	if !p.closed {
		_ = p.c.EventLoop().Close(p.c) // an error here needs no handling
	}
}

// blocked reports whether answers wait for the client to read.
func (p *peer) blocked() bool { return p.unread > 0 }

// traffic takes everything that gnet has read. Otherwise gnet would keep it in buffers that nobody
// counts.
func (p *peer) traffic() {
	b, err := p.c.Next(-1)
	if err != nil || len(b) == 0 {
		return
	}
	if p.leaving || p.last != "" {
		if p.wasted += len(b); p.wasted > readBytes {
			p.end()
		}
		return
	}
	p.arrived.came(len(b), p.w.system.now())
	p.drain()
	switch {
	case p.short >= trustAfter:
		p.w.shorts++
		p.input(b, shortTurn)
	case p.w.startsLong():
		p.input(b, wholeTurn)
		p.w.endedLong()
	default:
		p.input(b, controlTurn)
	}
}

// input appends new input to the unanswered input, and serves both.
func (p *peer) input(b []byte, which turn) {
	if !p.blocked() && !p.parked && p.buf == nil {
		p.serve(b, which)
		return
	}
	if p.append(b) && !p.blocked() && !p.parked {
		p.serve(p.buf[p.from:], which)
	}
}

// append stores input behind the unanswered input. Memory grows with bytes that have arrived, never
// by the length in a header.
func (p *peer) append(b []byte) bool {
	live := p.buf[p.from:]
	need := len(live) + len(b)
	switch {
	case need > aheadBytes:
		p.w.counters.Overdrawn++
		p.endAfterAnswers(fmt.Sprintf("input: found %d bytes before their answers, allowed: at "+
			"most %d", need,
			aheadBytes))
		return false
	case len(p.buf)+len(b) <= cap(p.buf):
	case need <= cap(p.buf):
		p.buf, p.from = append(p.buf[:0], live...), 0
	default:
		larger, ok := p.buffer(need)
		if !ok {
			return false
		}
		larger = append(larger, live...)
		p.drop()
		p.buf = larger
	}
	p.buf = append(p.buf, b...)
	return true
}

// buffer returns one for n bytes. If the budget has none, the connection ends.
func (p *peer) buffer(n int) ([]byte, bool) {
	size := sizeFor(n)
	b := &p.w.server.budget
	if !b.lend(&p.account, bufferBytes(size)) {
		p.w.counters.Overdrawn++
		p.endAfterAnswers(fmt.Sprintf("buffers: no room for %d KiB: this connection holds %d KiB, "+
			"is sure of %d KiB (half of --buffers %d over --max-connections %d), and the rest is "+
			"in use; use smaller batches, fewer connections, or start the server with "+
			"more", bufferBytes(size)>>10,
			p.account.held>>10, b.guarantee>>10, b.total, b.connections))
		return nil, false
	}
	return p.w.buffers.get(size), true
}

// drop frees the input's buffer.
func (p *peer) drop() {
	if p.buf != nil {
		p.w.server.budget.reclaim(&p.account, cap(p.buf))
		p.w.buffers.put(p.buf)
		p.buf, p.from = nil, 0
	}
}

// turn is the number of bytes of answers after which a turn ends, once the current frame is
// answered.
type turn int

const (
	wholeTurn   turn = turnBytes
	shortTurn   turn = shortBytes
	controlTurn turn = 0 // ends before the first request
)

// serve answers the complete frames in input, within the limits of one turn. The input is p's own
// buffer or the bytes just read.
func (p *peer) serve(input []byte, which turn) {
	rest, answered, requests := input, 0, false
	for len(rest) >= headerBytes && !p.blocked() && answered+len(p.w.out) <= int(which) {
		h, err := parseHeader(rest)
		if err == nil {
			err = p.admits(&h)
		}
		if err == nil && (len(rest) < h.bytes ||
			h.kind == kindRequest && (which == controlTurn || !p.w.backend.accepts(p))) {
			break
		}
		if err == nil {
			requests = requests || h.kind == kindRequest
			err = p.answer(h, rest[:h.bytes])
		}
		if err != nil {
			if !errors.Is(err, errStoreGone) { // of that, the client is innocent
				p.w.counters.BadFrames++
			}
			p.endAfterAnswers(err.Error())
			return
		}
		rest = rest[h.bytes:]
		if n := len(p.w.out); n >= flushBytes {
			if answered += n; !p.flush() {
				return
			}
		}
	}
	if requests {
		p.count(max(answered+len(p.w.out), len(input)-len(rest)))
	}
	if p.flush() && p.keep(rest) {
		p.finishTurn(len(rest) < len(input))
	}
}

// count records the length of a turn, by the bytes of its requests or its answers.
func (p *peer) count(moved int) {
	if moved > shortBytes {
		p.short = 0
	} else if p.short < trustAfter {
		p.short++
	}
}

// keep stores the unanswered input, in a buffer that is not much too large.
func (p *peer) keep(rest []byte) bool {
	if len(rest) == 0 {
		p.drop()
		return true
	}
	size := sizeFor(len(rest))
	if p.buf == nil {
		buf, ok := p.buffer(len(rest))
		if ok {
			p.buf = append(buf, rest...)
		}
		return ok
	}
	p.from = len(p.buf) - len(rest)
	if size+1 < sizeFor(cap(p.buf)) && p.w.server.budget.lend(&p.account, bufferBytes(size)) {
		buf := append(p.w.buffers.get(size), rest...)
		p.drop()
		p.buf = buf
	}
	return true
}

// finishTurn decides the next step: one that the client must take, or one for the worker. progress
// reports whether a frame became complete, so that the rest belongs to another frame.
func (p *peer) finishTurn(progress bool) {
	switch {
	case p.blocked(): // flush has handled it
	case p.whole():
		p.setDeadline(nothingDue)
		if p.inLane < p.w.mostUnanswered { // else its next answer brings it here
			p.w.park(p)
		}
	case !p.greeted: // its hello is due since the accept
	case p.buf == nil:
		p.setDeadline(nothingDue)
	case progress || p.due != frameDue:
		p.setDeadline(frameDue)
	}
}

// whole reports whether there is a frame to answer, or to refuse.
func (p *peer) whole() bool {
	in := p.buf[p.from:]
	if len(in) < headerBytes {
		return false
	}
	h, err := parseHeader(in)
	return err != nil || p.admits(&h) != nil || h.bytes <= len(in)
}

// flush writes the answers of the turn. gnet keeps the bytes that the kernel does not take, and
// flush counts them. It returns false if the connection has ended.
func (p *peer) flush() bool {
	w := p.w
	if len(w.out) == 0 {
		return !p.closed
	}
	if len(w.out) <= ringBytes {
		_, _ = p.c.Write(w.out) // an error closes the connection
	} else {
		w.pieces = pieces(w.pieces[:0], w.out)
		_, _ = p.c.Writev(w.pieces)
	}
	if w.unwritten.ops > 0 {
		w.counters.ResidenceNs += w.unwritten.written(w.system.now())
	}
	w.out = w.out[:0]
	if p.closed {
		return false
	}
	n := p.c.OutboundBuffered()
	if n == 0 {
		return true
	}
	if !w.server.budget.lend(&p.account, outboundBytes(n)) {
		w.counters.Overdrawn++
		p.end() // in the middle of a frame a failure is impossible
		return false
	}
	p.unread = outboundBytes(n)
	if !p.listed {
		p.listed = true
		w.blocked = append(w.blocked, p)
	}
	p.setDeadline(readingDue)
	w.want(poll)
	return true
}

// release returns the memory that was counted for gnet.
func (p *peer) release() {
	if p.unread > 0 {
		p.w.server.budget.reclaim(&p.account, p.unread)
		p.unread = 0
	}
}

// drain checks whether gnet has written all answers. If so, the connection goes on.
func (p *peer) drain() {
	if !p.blocked() || p.c.OutboundBuffered() > 0 {
		return
	}
	p.release()
	if p.leaving {
		p.hangUp()
		return
	}
	p.finishTurn(true)
}

// endAfterAnswers is endWithReason once the lane of an engine has answered the earlier requests.
// The rest of the input is lost.
func (p *peer) endAfterAnswers(why string) {
	if p.inLane == 0 {
		p.endWithReason(why)
		return
	}
	p.drop()
	p.last = why
	if p.flush() && !p.blocked() {
		p.setDeadline(nothingDue)
	}
}

// endWithReason ends a connection with a failure frame. Answers in w.out, and those that gnet
// holds, still go out.
func (p *peer) endWithReason(why string) {
	p.drop()
	p.leaving = true
	failure := control(kindFailure, 0, []byte(why))
	if p.blocked() {
		_, _ = p.c.Write(failure) // follows the bytes that gnet holds
		return
	}
	p.w.out = append(p.w.out, failure...)
	if p.flush() && !p.blocked() {
		p.hangUp()
	}
}

// hangUp ends this side. It gives the client time to read everything and to end its own side:
// unread input would make the kernel discard the failure frame.
func (p *peer) hangUp() {
	if p.w.system.finish(p.c.Fd()) != nil {
		p.end()
		return
	}
	p.setDeadline(leavingDue)
}

// setDeadline sets the client's next step and its deadline.
func (p *peer) setDeadline(d obligation) {
	if p.due = d; d == nothingDue {
		return
	}
	p.deadline = p.w.system.now() + int64(p.w.server.timeouts.of(d))
	p.w.want(tick)
}

// timedOut ends a connection that missed its deadline.
func (p *peer) timedOut() {
	limit := p.w.server.timeouts.of(p.due)
	if p.due != leavingDue {
		p.w.counters.Late++
	}
	switch p.due {
	case helloDue:
		p.endAfterAnswers(fmt.Sprintf("no hello came within %v of connecting", limit))
	case frameDue:
		p.endAfterAnswers(fmt.Sprintf("found %d bytes of a frame after %v, allowed: all of it; "+
			"send it at once",
			len(p.buf)-p.from, limit))
	default:
		p.end()
	}
}

// admits refuses a frame whose header alone is illegal, before the rest arrives.
func (p *peer) admits(h *header) error {
	switch {
	case !p.greeted && (h.kind != kindHello || h.bytes != helloBytes):
		return fmt.Errorf("frame: found kind %d of %d bytes, allowed: a hello first, kind %d of "+
			"%d bytes",
			h.kind, h.bytes, kindHello, helloBytes)
	case p.greeted && h.kind == kindRequest && h.bytes > p.w.mostBytes:
		return fmt.Errorf("frame: found %d bytes, allowed: at most %d", h.bytes, p.w.mostBytes)
	case !p.greeted || h.kind == kindRequest:
		return nil
	case h.kind != kindAsk:
		return fmt.Errorf("frame kind: found %d after the hello, allowed: %d, a request, or %d, "+
			"an ask",
			h.kind, kindRequest, kindAsk)
	case h.bytes != headerBytes:
		return fmt.Errorf("ask: found %d bytes, allowed: %d, the header "+
			"alone", h.bytes, headerBytes)
	case p.round != 0:
		return fmt.Errorf("ask: found one before the last was answered, allowed: one at a time")
	}
	return nil
}

// answer executes one frame.
func (p *peer) answer(h header, frame []byte) error {
	w, cameNs := p.w, p.arrived.next(h.bytes)
	switch h.kind {
	case kindRequest:
		return w.backend.request(p, h, frame, cameNs)
	case kindHello:
		text := w.server.welcome.Load()
		if body := frame[headerBytes:]; string(body) != magic || text == nil {
			return fmt.Errorf("hello: found %q, allowed: %q, once the server has "+
				"started", body, magic)
		}
		p.greeted = true
		w.out = append(w.out, control(kindWelcome, h.sequence, *text)...)
	case kindAsk:
		p.sequence, p.round = h.sequence, w.server.statsCollector.ask(w.system.now())
		w.asking = append(w.asking, p)
		w.want(poll)
	}
	return nil
}
