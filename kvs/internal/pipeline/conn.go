package pipeline

import (
	"fmt"
	"net"
	"slices"

	"dpukv/kvs"
	"dpukv/kvs/internal/sockets"
)

// conn is one connection of a session.
type conn struct {
	sockets.Conn[note]
	wire Wire

	// In holds input that is not handed on. The answers to the oldest batch are parsed up to at.
	at       int
	want     int // length of the answer at at, if known
	answered int // number of the oldest batch's notes that have answers
}

// note is the state of a request, and its answer. The value is an offset into the input, from where
// the batch's answers begin.
type note struct {
	cookie     uint64
	intendedNs int64
	from, to   uint32
	op         kvs.Op
	status     kvs.Status
}

func dialConn(t *Target, n *Node, opts kvs.SessionOptions) (*conn, error) {
	c := &conn{wire: t.Wire()}
	return c, c.Dial(n.Peer, t.Timeout, func(nc net.Conn) error { return t.greet(n, nc) }, opts)
}

// greet sends the greeting on a fresh connection.
func (t *Target) greet(n *Node, nc net.Conn) error {
	if t.Greet == nil {
		return nil
	}
	if err := t.Greet(nc); err != nil {
		return fmt.Errorf("%s: %w", n.Peer.Addr, err)
	}
	return nil
}

// add puts a request into the current batch, which has room.
func (c *conn) add(r *kvs.Request) {
	b := c.Filling
	from := len(b.Frame)
	b.Frame = c.wire.Append(b.Frame, r)
	c.Cut(from)
	n := b.Note()
	n.cookie, n.intendedNs, n.op = r.Cookie, r.IntendedNs, r.Op
}

// Send puts the current batch in flight. The window has room.
func (c *conn) Send() error {
	c.Filling.Frame = c.wire.End(c.Filling.Frame)
	return c.Launch()
}

// Receive reads once and appends the answers of complete batches.
func (c *conn) Receive(answers []kvs.Answer) ([]kvs.Answer, error) {
	c.at -= c.From // Read moves the remaining input to the front
	n, err := c.Read(c.at + c.want)
	if n == 0 {
		return answers, err
	}
	receivedNs := kvs.NowNs()
	for c.at < c.To {
		if len(c.Flight) == 0 {
			return answers, fmt.Errorf("from %s: found %d bytes that answer no request: %w", c.Addr,
				c.To-c.at, Nonsense(c.In[c.at:c.To]))
		}
		notes := c.Flight[0].Notes
		if whole, err := c.parse(notes); err != nil {
			return answers, fmt.Errorf("from %s: %w", c.Addr, err)
		} else if !whole {
			break
		}
		answers = c.handOn(c.Flight[0], receivedNs, answers)
		if err := c.Retire(); err != nil {
			return answers, fmt.Errorf("from %s: %w", c.Addr, err)
		}
	}
	return answers, nil
}

// parse reads the present answers to the oldest batch. It returns true once all have come.
func (c *conn) parse(notes []note) (whole bool, err error) {
	for c.answered < len(notes) {
		if c.To-c.at < c.want || c.at == c.To {
			return false, nil
		}
		n := &notes[c.answered]
		o, err := c.wire.Read(c.In[c.at:c.To], n.op)
		if err != nil {
			return false, err
		}
		if o.Bytes == 0 || o.Bytes > c.To-c.at {
			c.want = o.Bytes
			return false, nil
		}
		offset := c.at - c.From
		n.status, n.from, n.to = o.Status, uint32(offset+o.From), uint32(offset+o.To)
		c.at, c.want = c.at+o.Bytes, 0
		c.answered++
	}
	return true, nil
}

// handOn appends the answers to the oldest batch.
func (c *conn) handOn(b *sockets.Batch[note], receivedNs int64, answers []kvs.Answer) []kvs.Answer {
	values := c.In[c.From:c.at]
	before := len(answers)
	answers = slices.Grow(answers, len(b.Notes))[:before+len(b.Notes)]
	for i := range b.Notes {
		n, a := &b.Notes[i], &answers[before+i]
		a.Op, a.Status, a.Value, a.Cookie = n.op, n.status, values[n.from:n.to:n.to], n.cookie
		a.IntendedNs, a.SentNs, a.ReceivedNs = n.intendedNs, b.SentNs, receivedNs
	}
	c.From, c.answered = c.at, 0
	return answers
}
