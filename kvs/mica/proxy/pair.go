package proxy

import (
	"errors"
	"fmt"
	"net"

	"dpukv/internal/rawsocket"

	"golang.org/x/sys/unix"
)

const (
	// maxPieces is the most requests in one system call: as many as [unix.Writev] takes without
	// allocating.
	maxPieces = 8
	// readBytes is the room for a read beside a frame.
	readBytes = 32 << 10
)

// pair is a lane of a client and a TCP connection to a worker. It belongs to a pump's thread.
type pair struct {
	pump   *pump
	lane   lane
	conn   net.Conn // the side channel
	leave  func()   // frees its places
	addr   string   // of the worker
	frames *Frames
	slot   int // bytes
	fd     int // -1: closed
	number int // among the pump's pairs

	owed int // requests without an answer
	// unsent are requests in the lane's memory. They stay valid until their answers.
	unsent  [][]byte
	written int      // bytes of the first one
	pieces  [][]byte // of one write
	blocked bool     // the kernel takes no more at present

	in       []byte
	from, to int   // in[from:to] is not delivered
	cut      error // why the TCP connection has ended
}

func newPair(v *visit, l lane, fd int) *pair {
	s := v.server
	in := make([]byte, v.hello.SlotBytes+readBytes)
	clear(in) // the kernel backs it now, so the next client's lane is compared with what is left
	return &pair{
		pump: s.leastBusy(), lane: l, conn: v.conn, addr: v.addr(),
		leave: func() {
			s.places.leave(v.hello.Client, v.bytes)
			v.leave()
		},
		frames: &s.cfg.Frames, slot: v.hello.SlotBytes, fd: fd,
		unsent: make([][]byte, 0, 64), pieces: make([][]byte, 0, maxPieces),
		in: in,
	}
}

// leastBusy returns the thread with the fewest pairs.
func (s *Server) leastBusy() *pump {
	best := s.pumps[0]
	for _, p := range s.pumps[1:] {
		if p.load() < best.load() {
			best = p
		}
	}
	return best
}

func (p *pump) load() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.open) + len(p.added)
}

// free closes everything.
func (q *pair) free() {
	if q.fd >= 0 {
		_ = unix.Close(q.fd) // the pump has not taken it
	}
	_ = q.lane.Close() // its peer has gone, or learns it from the side channel
	_ = q.conn.Close()
	q.leave()
}

// forward takes requests from the lane and writes them. An error ends the pair.
func (q *pair) forward() (moved bool, err error) {
	if moved, err = q.lane.Poll(); err != nil {
		return moved, err
	}
	for {
		m, ok := q.lane.Receive()
		if !ok {
			break
		}
		q.owed++
		moved = true
		if q.cut != nil {
			continue // its answer is the reason
		}
		if err := q.check(m.Bytes); err != nil {
			q.stop(fmt.Errorf("the client of this connection: %w", err))
			continue
		}
		q.unsent = append(q.unsent, m.Bytes)
	}
	if q.cut == nil && len(q.unsent) > 0 && !q.blocked {
		q.write()
	}
	if q.owed > 0 && (q.cut != nil || q.to > q.from) {
		return moved, q.deliver()
	}
	return moved, nil
}

// check refuses a message that is not one frame.
func (q *pair) check(message []byte) error {
	if len(message) < q.frames.HeadBytes {
		return fmt.Errorf("message: found %d bytes, allowed: one frame, of at least %d",
			len(message), q.frames.HeadBytes)
	}
	length, err := q.frames.Length(message)
	if err == nil && length != len(message) {
		err = fmt.Errorf("message: found %d bytes with a frame of %d, allowed: one frame",
			len(message), length)
	}
	return err
}

// event handles an event of the socket. An error ends the pair.
func (q *pair) event(events uint32) error {
	if q.cut != nil {
		return nil
	}
	if events&unix.EPOLLOUT != 0 {
		q.write()
	}
	if events&^unix.EPOLLOUT != 0 && q.cut == nil {
		q.read()
	}
	return q.deliver()
}

// write writes the requests, as far as the kernel takes them.
func (q *pair) write() {
	for len(q.unsent) > 0 {
		n, errno := q.writeOnce()
		switch errno {
		case 0:
			q.wrote(n)
		case unix.EINTR:
		case unix.EAGAIN:
			q.block(true)
			return
		default:
			// The server may have said why. What it said is delivered first.
			for q.cut == nil && q.read() {
			}
			q.end(fmt.Errorf("send: %w", errno))
			return
		}
	}
	q.block(false)
}

// writeOnce is one system call for as many requests as it takes.
func (q *pair) writeOnce() (int, unix.Errno) {
	rest := q.unsent[0][q.written:]
	if len(q.unsent) == 1 {
		return rawsocket.Send(q.fd, rest, 0)
	}
	q.pieces = append(q.pieces[:0], rest)
	q.pieces = append(q.pieces, q.unsent[1:min(maxPieces, len(q.unsent))]...)
	n, err := unix.Writev(q.fd, q.pieces)
	if err == nil {
		return n, 0
	}
	var errno unix.Errno
	if !errors.As(err, &errno) {
		errno = unix.EIO
	}
	return 0, errno
}

// wrote records that a system call took n bytes.
func (q *pair) wrote(n int) {
	done := 0
	for done < len(q.unsent) {
		now := min(n, len(q.unsent[done])-q.written)
		n -= now
		if q.written += now; q.written < len(q.unsent[done]) {
			break
		}
		q.written = 0
		done++
	}
	q.pump.writes.Add(1)
	q.pump.frames.Add(uint64(done))
	q.unsent = append(q.unsent[:0], q.unsent[done:]...)
}

// block asks the poller to report when the kernel takes more, or to stop reporting it.
func (q *pair) block(blocked bool) {
	if q.blocked == blocked {
		return
	}
	q.blocked = blocked
	events := uint32(unix.EPOLLIN)
	if blocked {
		events |= unix.EPOLLOUT
	}
	if err := q.pump.poller.Watch(unix.EPOLL_CTL_MOD, q.fd, q.number, events); err != nil {
		q.end(err)
	}
}

// read reads once. It returns false if nothing came.
func (q *pair) read() bool {
	q.to = copy(q.in, q.in[q.from:q.to])
	q.from = 0
	if q.to == len(q.in) {
		if q.owed == 0 {
			q.end(errors.New("found more bytes than answers to come"))
		}
		return false // until the lane has room
	}
	n, errno := rawsocket.Receive(q.fd, q.in[q.to:], 0)
	switch {
	case errno == unix.EAGAIN || errno == unix.EINTR:
		return false
	case errno != 0:
		q.end(fmt.Errorf("receive: %w", errno))
	case n == 0:
		q.end(fmt.Errorf("it closed the connection with %d batches in flight", q.owed))
	}
	q.to += n
	return n > 0
}

// end closes the TCP connection because of the server.
func (q *pair) end(why error) { q.stop(fmt.Errorf("the server at %s: %w", q.addr, why)) }

// stop closes the TCP connection. Each further answer to the client is the reason.
func (q *pair) stop(why error) {
	if q.cut == nil {
		q.cut = why
		q.unsent = q.unsent[:0]
		q.pump.disconnect(q)
	}
}

// deliver puts the frames that came into the lane, and then the reason why no more come. An error
// ends the pair.
func (q *pair) deliver() error {
	for q.owed > 0 {
		n, err := q.whole()
		if err != nil {
			q.from = q.to // nothing behind it can be read
			q.end(err)
		}
		if n == 0 && q.cut == nil {
			return nil
		}
		slot := q.lane.Slot()
		if slot == nil {
			return nil // forward tries again
		}
		code := uint16(0)
		if n > 0 {
			copy(slot, q.in[q.from:q.from+n])
			q.from += n
		} else {
			n, code = copy(slot, q.cut.Error()), CodeEnded
		}
		if err := q.lane.Send(n, code); err != nil {
			return err
		}
		q.owed--
	}
	return nil
}

// whole returns the length of the first frame that came, 0 if it is not whole.
func (q *pair) whole() (int, error) {
	came := q.in[q.from:q.to]
	if len(came) < q.frames.HeadBytes {
		return 0, nil
	}
	n, err := q.frames.Length(came)
	switch {
	case err != nil:
		return 0, err
	case n > q.slot:
		return 0, fmt.Errorf("answer: found %d bytes, allowed through this proxy: %d, the "+
			"client's slots; use a smaller batch", n, q.slot)
	case n > len(came):
		return 0, nil
	}
	return n, nil
}
