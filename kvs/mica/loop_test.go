package mica

import (
	"math/bits"
	"net"

	"github.com/panjf2000/gnet/v2"
	"golang.org/x/sys/unix"
)

// simLoop is a worker's event loop like gnet's. It reads a connection once per event, keeps the
// rest of a write, and closes a connection after a failed system call.
type simLoop struct {
	gnet.EventLoop
	*simMachine
	w     *worker
	conns []*gnetConn // in order
	bell  *gnetConn
	rung  bool
	ended bool
	buf   []byte
}

// gnetConn is the part of gnet.Conn that the server uses.
type gnetConn struct {
	gnet.Conn
	loop    *simLoop
	s       *tcp
	fd      int
	context any
	input   []byte
	// answered is the number of bytes of answers in this turn, and trusted whether a turn at once
	// was allowed. long means that it was not, and that there were many.
	answered      int
	trusted, long bool

	// What gnet would hold: the ring's bytes, and the list's.
	ring   int
	chunks []chunk
	held   []byte
	closed bool
}

// chunk is a node of gnet's list. gnet holds it until all of it is written.
type chunk struct{ size, left int }

func (l *simLoop) now() int64 { return l.Now().UnixNano() }

func (l *simLoop) ring() {
	if l.ended {
		l.Failf("a loop that has ended is rung")
	}
	l.rung = true
}

func (l *simLoop) finish(fd int) error {
	s := l.open[fd]
	if s == nil || s.reset {
		return unix.ENOTCONN
	}
	s.finished = true
	return nil
}

// EnrollContext acts like gnet's, with its faults: if the descriptor can't be watched, the
// connection is gone, and there is no error.
func (l *simLoop) EnrollContext(c net.Conn, context any) (gnet.Conn, error) {
	defer c.Close()
	s := c.(*simConn).s
	if err := l.errno("dup"); err != nil {
		s.struck = true
		return nil, err
	}
	fd, err := l.descriptor(s)
	if err != nil {
		s.struck = true
		return nil, err
	}
	g := &gnetConn{loop: l, s: s, fd: fd, context: context}
	if err := l.errno("epoll_ctl"); err != nil {
		s.struck = true
		l.closeFD(fd)
		return g, nil
	}
	l.conns = append(l.conns, g)
	l.w.OnOpen(g)
	return g, nil
}

// turn reports every event once, from any start, like level-triggered epoll. The wakeup is one of
// them.
func (l *simLoop) turn() {
	for _, c := range l.conns {
		c.answered, c.long = 0, false
		c.trusted = c.context.(*peer).short == trustAfter
	}
	all := append([]*gnetConn{l.bell}, l.conns...)
	first := l.IntN(len(all))
	for i := range all {
		c := all[(first+i)%len(all)]
		switch {
		case c == l.bell:
			if l.rung {
				l.rung = false
				for _, c := range l.conns {
					c.answered = 0 // another turn
				}
				l.w.OnTraffic(c)
			}
		case !c.closed:
			if c.writable(); !c.closed {
				c.readable()
			}
		}
	}
}

func (c *gnetConn) writable() {
	if len(c.held) == 0 {
		return
	}
	n, err := c.s.write(c.loop.simMachine, c.held)
	if err == unix.EAGAIN {
		return
	}
	if err != nil {
		c.close()
		return
	}
	c.discard(n)
}

func (c *gnetConn) discard(n int) {
	c.held = c.held[n:]
	ring := min(n, c.ring)
	c.ring -= ring
	for n -= ring; n > 0; {
		k := min(n, c.chunks[0].left)
		n -= k
		if c.chunks[0].left -= k; c.chunks[0].left == 0 {
			c.chunks = c.chunks[1:]
		}
	}
}

func (c *gnetConn) readable() {
	if c.s.reset || c.s.fin || len(c.s.in) > 0 {
		n, err := c.s.read(c.loop.simMachine, c.loop.buf)
		switch {
		case err == unix.EAGAIN:
		case err != nil || n == 0:
			c.close()
		default:
			c.input = c.loop.buf[:n]
			c.loop.w.OnTraffic(c)
			if len(c.input) > 0 && !c.closed {
				c.loop.Failf("gnet keeps %d bytes of input, which nobody counts", len(c.input))
			}
		}
	}
}

func (c *gnetConn) Next(n int) ([]byte, error) {
	if n > 0 {
		c.loop.Failf("some of the input is taken, and gnet keeps the rest")
	}
	b := c.input
	c.input = nil
	return b, nil
}

func (c *gnetConn) Write(b []byte) (int, error) {
	if len(b) > ringBytes && len(c.held) == 0 {
		c.loop.Failf("gnet's ring is made to hold %d bytes, for good", len(b))
	}
	return c.Writev([][]byte{b})
}

func (c *gnetConn) Writev(all [][]byte) (total int, err error) {
	if c.closed {
		c.loop.Failf("a closed connection is written to")
	}
	more := 0
	for _, piece := range all {
		more += len(piece)
	}
	if c.answered > turnBytes+flushBytes && more >= flushBytes { // less is a failure frame
		c.loop.Failf("a long turn goes on after %d bytes of answers", c.answered)
	}
	for _, piece := range all {
		c.answered += len(piece)
		c.long = c.long || !c.trusted && c.answered > 2*shortBytes
		n := 0
		if len(c.held) == 0 {
			n, err = c.s.write(c.loop.simMachine, piece)
			if err != nil && err != unix.EAGAIN {
				c.close()
				return total, err
			}
			n = max(n, 0)
		}
		c.hold(piece[n:])
		total += len(piece)
	}
	return total, nil
}

// hold is gnet's elastic buffer.
func (c *gnetConn) hold(b []byte) {
	c.held = append(c.held, b...)
	if len(c.chunks) == 0 && c.ring < ringBytes {
		n := min(len(b), ringBytes-c.ring)
		c.ring += n
		b = b[n:]
	}
	if len(b) > 0 {
		c.chunks = append(c.chunks, chunk{1 << bits.Len(uint(len(b)-1)), len(b)})
	}
}

// memory is what gnet has for what it holds.
func (c *gnetConn) memory() int {
	if len(c.held) == 0 {
		return 0
	}
	n := ringBytes
	for _, chunk := range c.chunks {
		n += chunk.size
	}
	return n
}

func (c *gnetConn) OutboundBuffered() int     { return len(c.held) }
func (c *gnetConn) Context() any              { return c.context }
func (c *gnetConn) Fd() int                   { return c.fd }
func (c *gnetConn) EventLoop() gnet.EventLoop { return c.loop }

// Close is the loop's, of one of its connections.
func (l *simLoop) Close(c gnet.Conn) error {
	c.(*gnetConn).close()
	return nil
}

// close writes once more what is held, as gnet does.
func (c *gnetConn) close() {
	if c.closed {
		return
	}
	c.closed = true
	l := c.loop
	for i, other := range l.conns {
		if other == c {
			l.conns = append(l.conns[:i], l.conns[i+1:]...)
			break
		}
	}
	l.w.OnClose(c, nil)
	if !c.s.finished && !c.s.reset {
		n := min(len(c.held), c.s.outCap-len(c.s.out))
		c.s.out = append(c.s.out, c.held[:n]...)
	}
	c.held, c.chunks = nil, nil
	l.closeFD(c.fd)
}
