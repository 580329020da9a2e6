package mica

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// peer is one connection, as its worker sees it: all limits that a client meets are kept here.
//
// It is served in turns. Input that is whole is answered; what the kernel does not take of the
// answers at once is kept, and until it is gone no more is read. So a connection holds at most a
// frame that is not whole, or one read, and the answers of one turn.
type peer struct {
	w    *worker
	fd   int // -1: ended
	mark mark

	in      []byte // read and not answered; nil: nothing
	out     []byte // out[sent:] is not written; nil: nothing
	sent    int
	account account

	greeted bool
	parked  bool // in holds whole frames; the worker comes back to it
	leaving bool // was told why it ends, and may now hang up
	refused bool // was never counted as a connection

	round    uint64 // the gathering that answers its ask; 0: it has not asked
	sequence uint64 // of its ask

	owes     debt
	deadline int64 // on the kernel's clock
	watched  uint32
	drained  int // bytes read while leaving
}

// newPeer makes a descriptor a connection of the worker's.
func (w *worker) newPeer(fd int) (*peer, error) {
	slot := int32(len(w.peers))
	if last := len(w.free) - 1; last >= 0 {
		slot = w.free[last]
	}
	w.generation++
	p := &peer{w: w, fd: fd, mark: mark{slot, w.generation}, watched: unix.EPOLLIN}
	if err := w.kernel.add(fd, p.mark, p.watched); err != nil {
		return nil, err
	}
	if int(slot) == len(w.peers) {
		w.peers = append(w.peers, p)
	} else {
		w.free = w.free[:len(w.free)-1]
		w.peers[slot] = p
	}
	return p, nil
}

func (p *peer) open() bool { return p.fd >= 0 }

// blocked reports whether answers wait for the client to read.
func (p *peer) blocked() bool { return p.out != nil }

// attend does what epoll tells of a connection.
func (p *peer) attend(events uint32) {
	if p.blocked() && events != 0 {
		if p.drain(); !p.open() {
			return
		}
	}
	if p.blocked() || p.parked {
		if events&(unix.EPOLLERR|unix.EPOLLHUP) != 0 { // nobody is there to read
			p.end()
		}
		return
	}
	if events&^unix.EPOLLOUT != 0 {
		p.read()
	}
}

// read reads once, and answers what has become whole.
func (p *peer) read() {
	room := p.room()
	if room == nil {
		return
	}
	n, err := p.w.kernel.read(p.fd, room)
	switch {
	case passing(err):
		return
	case err != nil || n == 0:
		p.end()
	case p.leaving:
		if p.drained += n; p.drained > readBytes {
			p.end()
		}
	case p.in == nil:
		p.serve(room[:n])
	default:
		p.in = p.in[:len(p.in)+n]
		p.serve(p.in)
	}
}

// passing are errors of a system call that say nothing of the connection: it is tried again.
func passing(err error) bool {
	return err == unix.EAGAIN || err == unix.EINTR || err == unix.ENOMEM || err == unix.ENOBUFS
}

// room is where to read to: behind what is there, up to the end of its frame. It grows with what
// has arrived, never by what a header claims. It is nil where the connection had to end.
func (p *peer) room() []byte {
	if p.in == nil {
		return p.w.in
	}
	have := len(p.in)
	if have == cap(p.in) && !p.grow() {
		return nil
	}
	end := cap(p.in)
	if have >= headerBytes {
		h, _ := parseHeader(p.in) // serve has refused those that are wrong
		end = min(end, h.bytes)
	}
	return p.in[have:min(end, have+readBytes)]
}

// grow doubles the buffer of a frame.
func (p *peer) grow() bool {
	larger, ok := p.take(2 * cap(p.in))
	if !ok {
		return false
	}
	larger = append(larger, p.in...)
	p.drop(&p.in)
	p.in = larger
	return true
}

// take is a buffer for n bytes. Where the budget has none, the connection ends.
func (p *peer) take(n int) ([]byte, bool) {
	size := sizeFor(n)
	b := &p.w.server.budget
	if !b.take(&p.account, bufferBytes(size)) {
		p.w.counters.Overdrawn++
		p.depart(fmt.Sprintf("no room for a buffer of %d KiB: this connection holds %d KiB, is sure of %d "+
			"(--buffers %d over --max-connections %d), and the rest is in use; use smaller batches, fewer "+
			"connections, or start the server with more", bufferBytes(size)>>10, p.account.held>>10,
			b.guarantee>>10, b.total, b.connections))
		return nil, false
	}
	return p.w.buffers.get(size), true
}

// drop gives a buffer back.
func (p *peer) drop(buf *[]byte) {
	if *buf != nil {
		p.w.server.budget.give(&p.account, cap(*buf))
		p.w.buffers.put(*buf)
		*buf = nil
	}
}

// serve answers the frames that are whole in input, which is p.in or what was just read: all of
// them, but for the bounds on one turn.
func (p *peer) serve(input []byte) {
	rest, answered := input, 0
	for len(rest) >= headerBytes && !p.blocked() && answered < turnBytes {
		h, err := parseHeader(rest)
		if err == nil {
			err = p.admits(&h)
		}
		if err == nil && len(rest) < h.bytes {
			break
		}
		if err == nil {
			err = p.answer(&h, rest[headerBytes:h.bytes])
		}
		if err != nil {
			p.w.counters.BadFrames++
			p.depart(err.Error())
			return
		}
		rest = rest[h.bytes:]
		if n := len(p.w.out); n >= flushBytes {
			if answered += n; !p.flush() {
				return
			}
		}
	}
	if p.flush() && p.keep(rest) {
		p.settle(len(rest) < len(input))
	}
}

// keep keeps the input that was not answered.
func (p *peer) keep(rest []byte) bool {
	switch {
	case len(rest) == 0:
		p.drop(&p.in)
	case p.in == nil:
		buf, ok := p.take(len(rest))
		if !ok {
			return false
		}
		p.in = append(buf, rest...)
	case sizeFor(len(rest)) == sizeFor(cap(p.in)) || len(rest) > len(p.w.in):
		p.in = append(p.in[:0], rest...)
	default: // a smaller buffer will do
		n := copy(p.w.in, rest)
		p.drop(&p.in)
		return p.keep(p.w.in[:n])
	}
	return true
}

// settle decides what comes next: from the client, or for it. Progress is whether a frame became
// whole, so that what is left is another.
func (p *peer) settle(progress bool) {
	switch {
	case p.blocked(): // flush has seen to it
	case p.whole():
		p.owe(owesNothing)
		if !p.parked {
			p.parked = true
			p.w.parked = append(p.w.parked, p)
		}
	case !p.greeted: // since it was accepted
	case p.in == nil:
		p.owe(owesNothing)
	case progress || p.owes != owesFrame:
		p.owe(owesFrame)
	}
}

// whole reports whether there is a frame to answer, or to refuse.
func (p *peer) whole() bool {
	if len(p.in) < headerBytes {
		return false
	}
	h, err := parseHeader(p.in)
	return err != nil || p.admits(&h) != nil || h.bytes <= len(p.in)
}

// flush writes the answers of the turn, and keeps what the kernel does not take. It returns false
// where the connection had to end.
func (p *peer) flush() bool {
	w := p.w
	if len(w.out) == 0 {
		return true
	}
	n, err := w.kernel.write(p.fd, w.out)
	if passing(err) {
		n, err = 0, nil
	}
	if err != nil {
		w.out = w.out[:0]
		p.end()
		return false
	}
	rest := w.out[n:]
	w.out = w.out[:0]
	if len(rest) == 0 {
		return true
	}
	size := sizeFor(len(rest))
	if !w.server.budget.take(&p.account, bufferBytes(size)) {
		w.counters.Overdrawn++
		p.end() // in the middle of a frame: there is no way to say why
		return false
	}
	p.out, p.sent = append(w.buffers.get(size), rest...), 0
	p.watch(unix.EPOLLOUT)
	p.owe(owesReading)
	return true
}

// drain writes on where flush had to stop.
func (p *peer) drain() {
	n, err := p.w.kernel.write(p.fd, p.out[p.sent:])
	switch {
	case passing(err):
		return
	case err != nil:
		p.end()
		return
	}
	if p.sent += n; p.sent < len(p.out) {
		return
	}
	p.drop(&p.out)
	p.watch(unix.EPOLLIN)
	if p.leaving {
		p.hangUp()
		return
	}
	p.settle(true)
}

// depart says why a connection ends. What was answered before still goes out.
func (p *peer) depart(why string) {
	p.drop(&p.in)
	p.leaving = true
	failure := control(kindFailure, 0, []byte(why))
	switch {
	case !p.blocked():
		p.w.out = append(p.w.out, failure...)
		if p.flush() && !p.blocked() {
			p.hangUp()
		}
	case len(p.out)+len(failure) <= cap(p.out):
		p.out = append(p.out, failure...)
	default:
		p.end()
	}
}

// hangUp ends this side, and leaves the client time to read all and to end the other: what it had
// sent and nobody read would take the failure away from it.
func (p *peer) hangUp() {
	if p.w.kernel.finish(p.fd) != nil {
		p.end()
		return
	}
	p.owe(owesLeaving)
}

// owe sets what the client is to do, and by when.
func (p *peer) owe(d debt) {
	if p.owes = d; d == owesNothing {
		return
	}
	p.deadline = p.w.kernel.now() + int64(p.w.server.patience.of(d))
	p.w.restless = true
}

// watch sets what epoll tells of the connection. Where that fails, it is tried again.
func (p *peer) watch(events uint32) {
	if p.watched == events || p.w.kernel.change(p.fd, p.mark, events) != nil {
		p.w.restless = p.w.restless || p.watched != events
		return
	}
	p.watched = events
}

// tick looks at the clock. It returns whether it has to do so again.
func (p *peer) tick(now int64) bool {
	wants := uint32(unix.EPOLLIN)
	if p.blocked() {
		wants = unix.EPOLLOUT
	}
	p.watch(wants)
	if p.owes != owesNothing && now >= p.deadline {
		p.late()
	}
	return p.open() && (p.owes != owesNothing || p.watched != wants)
}

// late ends a connection that did not do in time what it owes.
func (p *peer) late() {
	patience := p.w.server.patience.of(p.owes)
	switch p.owes {
	case owesHello:
		p.w.counters.Late++
		p.depart(fmt.Sprintf("no hello within %v of connecting", patience))
	case owesFrame:
		p.w.counters.Late++
		p.depart(fmt.Sprintf("a frame of which %d bytes came within %v: send it whole", len(p.in), patience))
	case owesReading:
		p.w.counters.Late++
		p.end()
	default:
		p.end()
	}
}

// end closes the connection and gives back all that it held.
func (p *peer) end() {
	w := p.w
	p.drop(&p.in)
	p.drop(&p.out)
	_ = w.kernel.close(p.fd) // which ends it in any case
	p.fd, p.owes = -1, owesNothing
	w.peers[p.mark.slot] = nil
	w.free = append(w.free, p.mark.slot)
	if p.refused {
		w.acceptor.refusing--
		return
	}
	w.counters.Connections--
	w.server.budget.leave()
}
