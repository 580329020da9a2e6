package rr

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// conn is one connection of the client. It belongs to one thread.
type conn struct {
	fd      int
	number  int // in the task
	seat    int // in its thread
	out, in []byte
	sent    int // bytes of out
	got     int // bytes of in
	busy    bool
	blocked bool // the poller looks for room to send, too
	message uint64

	intendedNs, sentNs int64 // of the message in flight
	freeNs             int64 // when the last answer came
}

// newConn makes a connection with a message of its own content.
func newConn(number, fd, size int) *conn {
	c := &conn{fd: fd, number: number, out: make([]byte, size), in: make([]byte, size)}
	for i := range c.out {
		c.out[i] = byte(i*167 + number*29 + i>>8)
	}
	return c
}

// begin makes the next message. It begins with its number, as far as the number fits.
func (c *conn) begin(intendedNs int64) {
	c.message++
	if len(c.out) >= 8 {
		binary.LittleEndian.PutUint64(c.out, c.message)
	} else {
		c.out[0] = byte(c.message)
	}
	c.sent, c.got, c.busy, c.intendedNs = 0, 0, true, intendedNs
}

// check compares a whole answer with its message.
func (c *conn) check() error {
	if bytes.Equal(c.in, c.out) {
		return nil
	}
	at := 0
	for c.in[at] == c.out[at] {
		at++
	}
	return fmt.Errorf("connection %d: answer to message %d: found %#x at byte %d, allowed: %#x "+
		"as in the message", c.number, c.message, c.in[at], at, c.out[at])
}
