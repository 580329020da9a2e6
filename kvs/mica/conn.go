package mica

import (
	"encoding/binary"
	"fmt"
	"net"
	"slices"

	"dpukv/internal/foreign"
	"dpukv/kvs"
	"dpukv/kvs/internal/sockets"
)

// conn is one connection of a session.
type conn struct {
	sockets.Conn[note]
	maxFrame int // largest frame that the server takes
	sequence uint64
}

// note is the state of a request until its answer.
type note struct {
	cookie     uint64
	intendedNs int64
	op         kvs.Op
}

func dialConn(addr string, maxFrame int, opts kvs.SessionOptions) (*conn, error) {
	c := &conn{maxFrame: maxFrame}
	return c, c.Dial(sockets.TCP(addr), handshakeTimeout, func(nc net.Conn) error {
		_, err := greet(nc)
		return err
	}, opts)
}

// add puts a request into the current batch, which has room.
func (c *conn) add(r *kvs.Request) {
	b := c.Filling
	if len(b.Frame) == 0 {
		b.Frame = b.Frame[:headerBytes] // the header follows when the batch is sent
	}
	value := r.Value
	if r.Op == kvs.Get || r.Op == kvs.Delete {
		value = nil
	}
	b.Frame = appendRequest(b.Frame, r.Op, r.Hash, r.Key, value)
	n := b.Note()
	n.cookie, n.intendedNs, n.op = r.Cookie, r.IntendedNs, r.Op
}

// Send puts the current batch in flight. The window has room.
func (c *conn) Send() error {
	b := c.Filling
	if len(b.Frame) > c.maxFrame {
		return fmt.Errorf("batch: found %d operations of %d bytes, allowed by %s: frames of at "+
			"most %d; use a smaller batch",
			len(b.Notes), len(b.Frame), c.Addr, c.maxFrame)
	}
	c.sequence++
	putHeader(b.Frame, header{
		bytes: len(b.Frame), kind: kindRequest, count: len(b.Notes),
		sequence: c.sequence,
	})
	return c.Launch()
}

// Receive reads once and appends every complete answer.
func (c *conn) Receive(answers []kvs.Answer) ([]kvs.Answer, error) {
	n, err := c.Read(c.wanted())
	if n == 0 {
		return answers, err
	}
	receivedNs := kvs.NowNs()
	for c.To-c.From >= headerBytes {
		h, err := parseHeader(c.In[c.From:])
		if err != nil {
			return answers, fmt.Errorf("from %s: %w", c.Addr, err)
		}
		if c.To-c.From < h.bytes {
			break
		}
		body := c.In[c.From+headerBytes : c.From+h.bytes]
		c.From += h.bytes
		if answers, err = c.accept(h, body, receivedNs, answers); err != nil {
			return answers, fmt.Errorf("from %s: %w", c.Addr, err)
		}
	}
	return answers, nil
}

// wanted returns the length of the frame that has begun, if it is known.
func (c *conn) wanted() int {
	if c.To-c.From < headerBytes {
		return 0
	}
	return int(binary.LittleEndian.Uint32(c.In[c.From:])) // parseHeader has limited it
}

// accept matches an answer with the oldest batch in flight.
func (c *conn) accept(
	h header, body []byte, receivedNs int64, answers []kvs.Answer,
) ([]kvs.Answer, error) {
	if h.kind == kindFailure {
		return answers, fmt.Errorf("the server says: %s", foreign.Reason(body))
	}
	if len(c.Flight) == 0 || h.kind != kindAnswer {
		return answers, fmt.Errorf("found a frame of kind %d that answers no request", h.kind)
	}
	b := c.Flight[0]
	if first := c.sequence - uint64(len(c.Flight)) + 1; h.sequence != first ||
		h.count != len(b.Notes) {
		return answers, fmt.Errorf("found an answer with sequence %d to %d operations, "+
			"allowed: %d to %d",
			h.sequence, h.count, first, len(b.Notes))
	}
	o, err := parseAnswer(body, h.count)
	if err != nil {
		return answers, err
	}
	before := len(answers)
	answers = slices.Grow(answers, h.count)[:before+h.count]
	for i := range b.Notes {
		note, a := &b.Notes[i], &answers[before+i]
		status, value, ok := o.read(i)
		if !ok {
			return answers[:before], o.cut(i)
		}
		a.Op, a.Status, a.Value, a.Cookie = note.op, status, value, note.cookie
		a.IntendedNs, a.SentNs, a.ReceivedNs = note.intendedNs, b.SentNs, receivedNs
	}
	if err := o.done(); err != nil {
		return answers, err
	}
	return answers, c.Retire()
}
