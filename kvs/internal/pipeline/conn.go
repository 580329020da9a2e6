package pipeline

import (
	"fmt"
	"net"

	"dpukv/internal/cpu"
	"dpukv/kvs"
	"dpukv/kvs/internal/sockets"
)

// conn is one connection of a session.
type conn struct {
	sockets.Conn[note]
	wire Wire

	// Of what was read and not handed on: the answers to the oldest batch up to at are parsed.
	at       int
	want     int // bytes from at that the answer there will have, if known
	answered int // of the oldest batch's notes
}

// note is what comes back with an answer, and what came for it. The value lies in what was read,
// counted from where the batch's answers begin.
type note struct {
	cookie     uint64
	intendedNs int64
	from, to   uint32
	op         kvs.Op
	status     kvs.Status
}

func dialConn(t *Target, opts kvs.SessionOptions) (*conn, error) {
	c := &conn{wire: t.Wire()}
	return c, c.Dial(t.Addr, t.Timeout, t.greet, opts)
}

// greet says what is to be said on a fresh connection.
func (t *Target) greet(nc net.Conn) error {
	if t.Greet == nil {
		return nil
	}
	if err := t.Greet(nc); err != nil {
		return fmt.Errorf("%s: %w", t.Addr, err)
	}
	return nil
}

// add puts a request into the batch being filled, which has room.
func (c *conn) add(r *kvs.Request) {
	b := c.Filling
	b.Frame = c.wire.Append(b.Frame, r)
	b.Notes = append(b.Notes, note{cookie: r.Cookie, intendedNs: r.IntendedNs, op: r.Op})
}

// Send puts the batch being filled in flight. The window is open.
func (c *conn) Send() error {
	c.Filling.Frame = c.wire.End(c.Filling.Frame)
	return c.Launch()
}

// Receive reads once and hands on the batches whose answers are all there.
func (c *conn) Receive(answers []kvs.Answer) ([]kvs.Answer, error) {
	c.at -= c.From // Read moves what is there to the front
	n, err := c.Read(c.at + c.want)
	if n == 0 {
		return answers, err
	}
	receivedNs := cpu.NowNs()
	for c.at < c.To {
		if len(c.Flight) == 0 {
			return answers, fmt.Errorf("from %s: %d bytes that answer nothing: %w", c.Addr, c.To-c.at, Nonsense(c.In[c.at:c.To]))
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

// parse reads answers to the oldest batch as far as they are there. It is true once all are.
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
	for i := range b.Notes {
		n := &b.Notes[i]
		answers = append(answers, kvs.Answer{
			Op: n.op, Status: n.status, Value: values[n.from:n.to:n.to], Cookie: n.cookie,
			IntendedNs: n.intendedNs, SentNs: b.SentNs, ReceivedNs: receivedNs,
		})
	}
	c.From, c.answered = c.at, 0
	return answers
}
