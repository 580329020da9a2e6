package mica

import (
	"encoding/binary"
	"fmt"
	"net"

	"dpukv/kvs"
	"dpukv/kvs/internal/sockets"

	"golang.org/x/sys/unix"
)

// conn is one connection of a session: a batch being filled, and a window of batches in flight.
type conn struct {
	session *session
	number  int // in the session
	fd      int
	addr    string

	filling *batch // never nil; waits, full, while the whole window is in flight
	left    int    // requests that filling still takes
	idle    []*batch
	flight  []*batch // in the order sent
	unsent  int      // index in flight of the first batch not written whole
	blocked bool     // the kernel takes no more for now

	sequence uint64
	in       []byte
	from, to int // what of in is read and not parsed
}

// batch is a request frame and what to remember until its answer.
type batch struct {
	frame   []byte
	notes   []note
	written int // bytes
	sentNs  int64
}

// note is what comes back with an answer.
type note struct {
	cookie     uint64
	intendedNs int64
	op         kvs.Op
}

const minReadBytes = 64 << 10

func dialConn(addr string, opts kvs.SessionOptions) (*conn, error) {
	nc, err := net.DialTimeout("tcp", addr, handshakeTimeout)
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	if _, err := greet(nc); err != nil {
		return nil, err
	}
	fd, err := sockets.TakeOver(nc.(*net.TCPConn))
	if err != nil {
		return nil, err
	}
	c := &conn{fd: fd, addr: addr, in: make([]byte, minReadBytes), flight: make([]*batch, 0, opts.Window)}
	// One batch more than the window: a full one waits while the window is in flight.
	for range opts.Window + 1 {
		c.idle = append(c.idle, &batch{frame: make([]byte, headerBytes, 4096), notes: make([]note, 0, opts.Batch)})
	}
	c.refill()
	return c, nil
}

// room reports whether the batch being filled takes another request.
func (c *conn) room() bool { return c.left > 0 }

// open reports whether another batch may be in flight.
func (c *conn) open() bool { return len(c.flight) < c.session.opts.Window }

// refill takes an idle batch to fill.
func (c *conn) refill() {
	last := len(c.idle) - 1
	c.filling, c.idle = c.idle[last], c.idle[:last]
	c.filling.frame = c.filling.frame[:headerBytes]
	c.filling.notes = c.filling.notes[:0]
	c.left = cap(c.filling.notes)
	c.filling.written = 0
}

// add puts a request into the batch being filled, which has room.
func (c *conn) add(r *kvs.Request) {
	b := c.filling
	value := r.Value
	if r.Op == kvs.Get || r.Op == kvs.Delete {
		value = nil
	}
	b.frame = appendRequest(b.frame, r.Op, r.Hash, r.Key, value)
	b.notes = append(b.notes, note{r.Cookie, r.IntendedNs, r.Op})
	c.left--
}

// send puts the batch being filled in flight. The window is open.
func (c *conn) send() error {
	b := c.filling
	c.sequence++
	putHeader(b.frame, header{bytes: len(b.frame), kind: kindRequest, count: len(b.notes), sequence: c.sequence})
	if len(b.frame) > c.session.facts.MaxFrameBytes {
		return fmt.Errorf("a batch of %d operations of %d bytes: %s takes frames of at most %d; use a smaller batch",
			len(b.notes), len(b.frame), c.addr, c.session.facts.MaxFrameBytes)
	}
	b.sentNs = now()
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

// receive reads once and parses every answer that is there whole.
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
	receivedNs := now()
	for c.to-c.from >= headerBytes {
		h, err := parseHeader(c.in[c.from:])
		if err != nil {
			return answers, fmt.Errorf("from %s: %w", c.addr, err)
		}
		if c.to-c.from < h.bytes {
			break
		}
		body := c.in[c.from+headerBytes : c.from+h.bytes]
		c.from += h.bytes
		if answers, err = c.accept(h, body, receivedNs, answers); err != nil {
			return answers, fmt.Errorf("from %s: %w", c.addr, err)
		}
	}
	if !c.room() && c.open() {
		return answers, c.send()
	}
	return answers, nil
}

// compact makes room to read in: for the rest of a frame that has begun, or else some.
func (c *conn) compact() {
	copy(c.in, c.in[c.from:c.to])
	c.from, c.to = 0, c.to-c.from
	want := minReadBytes
	if c.to >= headerBytes {
		want = max(want, int(binary.LittleEndian.Uint32(c.in))) // parseHeader has limited it
	}
	if want > len(c.in) {
		c.in = append(make([]byte, 0, want), c.in[:c.to]...)[:want]
	}
}

// accept matches an answer with the oldest batch in flight.
func (c *conn) accept(h header, body []byte, receivedNs int64, answers []kvs.Answer) ([]kvs.Answer, error) {
	if h.kind == kindFailure {
		return answers, fmt.Errorf("the server says: %s", body)
	}
	if c.unsent == 0 || h.kind != kindAnswer {
		return answers, fmt.Errorf("a frame of kind %d that answers nothing", h.kind)
	}
	b := c.flight[0]
	if first := c.sequence - uint64(len(c.flight)) + 1; h.sequence != first || h.count != len(b.notes) {
		return answers, fmt.Errorf("an answer with sequence %d to %d operations, want %d to %d", h.sequence, h.count, first, len(b.notes))
	}
	o, err := parseAnswer(body, h.count)
	if err != nil {
		return answers, err
	}
	for i := range b.notes {
		note := &b.notes[i]
		status, value, err := o.read()
		if err != nil {
			return answers, err
		}
		answers = append(answers, kvs.Answer{
			Op: note.op, Status: status, Value: value, Cookie: note.cookie,
			IntendedNs: note.intendedNs, SentNs: b.sentNs, ReceivedNs: receivedNs,
		})
	}
	c.retire(b)
	return answers, o.done()
}

// retire takes the oldest batch out of flight.
func (c *conn) retire(b *batch) {
	c.session.pending -= len(b.notes)
	c.flight = append(c.flight[:0], c.flight[1:]...)
	c.unsent--
	c.idle = append(c.idle, b)
}

func (c *conn) close() error { return unix.Close(c.fd) }
