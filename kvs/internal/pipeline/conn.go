package pipeline

import (
	"fmt"

	"dpukv/internal/cpu"
	"dpukv/kvs"

	"golang.org/x/sys/unix"
)

// conn is one connection of a session: a batch being filled, and a window of batches in flight.
type conn struct {
	session *session
	wire    Wire
	number  int // in the session
	fd      int
	addr    string

	filling *batch // never nil; waits, full, while the whole window is in flight
	idle    []*batch
	flight  []*batch // in the order sent
	unsent  int      // index in flight of the first batch not written whole
	blocked bool     // the kernel takes no more for now

	// What was read and not handed on: the answers to the oldest batch from from, of which those up to
	// at are parsed, and what has come of the next ones.
	in           []byte
	from, at, to int
	want         int // bytes from at that the answer there will have, if known
}

// batch is some requests and what to remember until their answers.
type batch struct {
	frame    []byte
	notes    []note
	answered int // of the notes
	written  int // bytes
	sentNs   int64
}

// note is what comes back with an answer, and what came for it. The value lies in the connection's in, counted
// from where the batch's answers begin.
type note struct {
	cookie     uint64
	intendedNs int64
	from, to   int
	op         kvs.Op
	status     kvs.Status
}

const minReadBytes = 64 << 10

// room reports whether the batch being filled takes another request.
func (c *conn) room() bool { return len(c.filling.notes) < cap(c.filling.notes) }

// open reports whether another batch may be in flight.
func (c *conn) open() bool { return len(c.flight) < c.session.opts.Window }

// refill takes an idle batch to fill.
func (c *conn) refill() {
	last := len(c.idle) - 1
	b := c.idle[last]
	c.idle = c.idle[:last]
	b.frame, b.notes, b.answered, b.written = b.frame[:0], b.notes[:0], 0, 0
	c.filling = b
}

// add puts a request into the batch being filled, which has room.
func (c *conn) add(r *kvs.Request) {
	b := c.filling
	b.frame = c.wire.Append(b.frame, r)
	b.notes = append(b.notes, note{cookie: r.Cookie, intendedNs: r.IntendedNs, op: r.Op})
}

// send puts the batch being filled in flight. The window is open.
func (c *conn) send() error {
	b := c.filling
	b.frame = c.wire.End(b.frame)
	b.sentNs = cpu.NowNs()
	c.flight = append(c.flight, b)
	c.session.traffic.Frames++
	c.refill()
	return c.push()
}

// push writes what is not written yet, as far as the kernel takes it.
func (c *conn) push() error {
	for c.unsent < len(c.flight) {
		b := c.flight[c.unsent]
		n, err := unix.Write(c.fd, b.frame[b.written:])
		if err == unix.EAGAIN {
			return c.block(true)
		}
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return fmt.Errorf("send to %s: %w", c.addr, err)
		}
		c.session.traffic.SentBytes += uint64(n)
		if b.written += n; b.written == len(b.frame) {
			c.unsent++
		}
	}
	return c.block(false)
}

// block asks epoll to tell when the kernel takes more, or no longer to.
func (c *conn) block(blocked bool) error {
	if c.blocked == blocked {
		return nil
	}
	c.blocked = blocked
	return c.session.watch(c, unix.EPOLL_CTL_MOD)
}

// receive reads once and hands on the batches whose answers are all there.
func (c *conn) receive(answers []kvs.Answer) ([]kvs.Answer, error) {
	c.compact()
	n, err := unix.Read(c.fd, c.in[c.to:])
	switch {
	case err == unix.EAGAIN || err == unix.EINTR:
		return answers, nil
	case err != nil:
		return answers, fmt.Errorf("receive from %s: %w", c.addr, err)
	case n == 0:
		return answers, fmt.Errorf("%s closed the connection with %d batches in flight", c.addr, len(c.flight))
	}
	c.to += n
	c.session.traffic.ReceivedBytes += uint64(n)
	receivedNs := cpu.NowNs()
	for c.at < c.to {
		if len(c.flight) == 0 {
			return answers, fmt.Errorf("from %s: %d bytes that answer nothing: %w", c.addr, c.to-c.at, Nonsense(c.in[c.at:c.to]))
		}
		b := c.flight[0]
		if whole, err := c.parse(b); err != nil {
			return answers, fmt.Errorf("from %s: %w", c.addr, err)
		} else if !whole {
			break
		}
		if answers, err = c.handOn(b, receivedNs, answers); err != nil {
			return answers, err
		}
	}
	if !c.room() && c.open() {
		return answers, c.send()
	}
	return answers, nil
}

// compact makes room to read in, and moves what is not handed on to the front.
func (c *conn) compact() {
	if c.from > 0 {
		copy(c.in, c.in[c.from:c.to])
		c.from, c.at, c.to = 0, c.at-c.from, c.to-c.from
	}
	if need := max(c.to+minReadBytes/2, c.at+c.want); need > len(c.in) {
		c.in = append(make([]byte, 0, 2*need), c.in[:c.to]...)[:2*need]
	}
}

// parse reads answers to the oldest batch as far as they are there. It is true once all are.
func (c *conn) parse(b *batch) (whole bool, err error) {
	for b.answered < len(b.notes) {
		if c.to-c.at < c.want || c.at == c.to {
			return false, nil
		}
		n := &b.notes[b.answered]
		o, err := c.wire.Read(c.in[c.at:c.to], n.op)
		if err != nil {
			return false, err
		}
		if o.Bytes == 0 || o.Bytes > c.to-c.at {
			c.want = o.Bytes
			return false, nil
		}
		offset := c.at - c.from
		n.status, n.from, n.to = o.Status, offset+o.From, offset+o.To
		c.at, c.want = c.at+o.Bytes, 0
		b.answered++
	}
	return true, nil
}

// handOn appends the answers to the oldest batch, and takes it out of flight.
func (c *conn) handOn(b *batch, receivedNs int64, answers []kvs.Answer) ([]kvs.Answer, error) {
	if c.unsent == 0 {
		return answers, fmt.Errorf("from %s: a batch of %d bytes was answered of which %d were sent", c.addr, len(b.frame), b.written)
	}
	values := c.in[c.from:c.at]
	for i := range b.notes {
		n := &b.notes[i]
		answers = append(answers, kvs.Answer{
			Op: n.op, Status: n.status, Value: values[n.from:n.to:n.to], Cookie: n.cookie,
			IntendedNs: n.intendedNs, SentNs: b.sentNs, ReceivedNs: receivedNs,
		})
	}
	c.from = c.at
	c.session.pending -= len(b.notes)
	c.flight = append(c.flight[:0], c.flight[1:]...)
	c.unsent--
	c.idle = append(c.idle, b)
	return answers, nil
}
