package mica

import (
	"errors"
	"io"
	"net"
	"os"
	"time"

	"dpukv/kvs/internal/simulation"

	"golang.org/x/sys/unix"
)

// simMachine is the state that all workers share: descriptors, and a clock.
type simMachine struct {
	*simulation.World
	files  int // that may be open
	others int // that something else in the process has open
	open   map[int]*tcp
	// exhausted is the last step in which a system call found no descriptor or memory.
	exhausted int
	steps     int
}

// errno draws one of the errors of a system call.
func (m *simMachine) errno(call string) error {
	var e unix.Errno
	if err := m.Errno(call); errors.As(err, &e) {
		m.exhausted = m.steps // as far as the server can tell
		return e
	}
	return nil
}

// descriptor returns the lowest free number, like the kernel: often one that was just closed.
func (m *simMachine) descriptor(s *tcp) (int, error) {
	if len(m.open)+m.others >= m.files {
		m.exhausted = m.steps
		return -1, unix.EMFILE
	}
	fd := 0
	for m.open[fd] != nil {
		fd++
	}
	m.open[fd] = s
	s.refs++
	return fd, nil
}

func (m *simMachine) closeFD(fd int) {
	s := m.open[fd]
	if s == nil {
		m.Failf("the server closes descriptor %d, which is not open", fd)
	}
	delete(m.open, fd)
	if s.refs--; s.refs > 0 {
		return
	}
	s.closed = true
	if len(s.in) > 0 { // TCP: the client gets a reset, and loses what it has not read
		s.reset, s.out = true, nil
	}
}

// file is a spare descriptor, of nothing.
type file struct {
	m  *simMachine
	fd int
}

func (f file) Close() error { f.m.closeFD(f.fd); return nil }

// spare opens one.
func (m *simMachine) spare() (io.Closer, error) {
	if err := m.errno("open"); err != nil {
		return nil, err
	}
	fd, err := m.descriptor(&tcp{})
	return file{m, fd}, err
}

// tcp is both ends of a connection.
type tcp struct {
	refs          int    // descriptors of the server's
	in, out       []byte // to the server, to the client; in the kernel
	inCap, outCap int

	accepted bool
	fin      bool // from the client
	reset    bool // by the client, or for the client
	finished bool // the server writes no more
	closed   bool // by the server
	struck   bool // an error was injected that may end it
	taken    int  // bytes that the server has read
	step     int  // of the accept
	atNs     int64
}

// read and write are the system calls, by the server.
func (s *tcp) read(m *simMachine, b []byte) (int, error) {
	if s.reset {
		return -1, unix.ECONNRESET
	}
	if err := m.errno("read"); err != nil {
		s.struck = true
		return -1, err
	}
	if len(s.in) == 0 {
		if s.fin {
			return 0, nil
		}
		return -1, unix.EAGAIN
	}
	n := copy(b, s.in)
	if n > 1 && m.OneIn(8) {
		n = 1 + m.IntN(n-1)
	}
	s.in = s.in[n:]
	s.taken += n
	return n, nil
}

func (s *tcp) write(m *simMachine, b []byte) (int, error) {
	if s.finished {
		m.Failf("the server writes after it has finished")
	}
	if s.reset {
		return -1, unix.EPIPE
	}
	if err := m.errno("write"); err != nil {
		s.struck = true
		return -1, err
	}
	n := min(len(b), s.outCap-len(s.out))
	if n > 1 && s.outCap < 1<<20 && m.OneIn(8) {
		n = 1 + m.IntN(n-1)
	}
	if n == 0 && len(b) > 0 {
		return -1, unix.EAGAIN
	}
	s.out = append(s.out, b[:n]...)
	return n, nil
}

// The client's side.

// send puts bytes into the connection and returns how many it took.
func (s *tcp) send(b []byte) int {
	if s.reset || s.closed || s.fin {
		return 0
	}
	n := min(len(b), s.inCap-len(s.in))
	s.in = append(s.in, b[:n]...)
	return n
}

// receive takes up to n bytes out. over reports the end of the stream.
func (s *tcp) receive(n int) (b []byte, over bool) {
	n = min(n, len(s.out))
	b = append(b, s.out[:n]...)
	s.out = append(s.out[:0], s.out[n:]...)
	return b, len(s.out) == 0 && (s.closed || s.finished || s.reset)
}

// hangUp ends the client's side: orderly, or by a reset.
func (s *tcp) hangUp(reset bool) {
	if s.fin = true; reset {
		s.reset, s.in, s.out = true, nil, nil
	}
}

// gone reports whether either side is done with the connection.
func (s *tcp) gone() bool { return s.closed || s.reset || s.fin }

// simListener is what a door accepts from.
type simListener struct {
	*simMachine
	queue  []*tcp
	waited int // steps that the queue has waited for an accept
}

// connect queues a connection. It returns nil where the queue is full.
func (l *simListener) connect(inCap, outCap int) *tcp {
	if len(l.queue) >= 64 {
		return nil
	}
	s := &tcp{inCap: inCap, outCap: outCap}
	l.queue = append(l.queue, s)
	return s
}

func (l *simListener) Accept() (net.Conn, error) {
	c, err := l.accept()
	if err != nil {
		return nil, &net.OpError{Op: "accept", Net: "tcp", Err: os.NewSyscallError("accept4", err)}
	}
	return c, nil
}

func (l *simListener) accept() (*simConn, error) {
	if len(l.queue) == 0 { // somebody gave up
		return nil, unix.ECONNABORTED
	}
	s := l.queue[0]
	switch err := l.errno("accept4"); err {
	case nil:
	case unix.ECONNABORTED, unix.EPROTO, unix.ENETDOWN, unix.EHOSTUNREACH, unix.ENETUNREACH:
		s.struck, s.reset, s.closed = true, true, true
		l.queue = l.queue[1:]
		return nil, err
	default:
		return nil, err
	}
	fd, err := l.descriptor(s)
	if err != nil {
		return nil, err
	}
	l.queue = l.queue[1:]
	s.accepted, s.step, s.atNs = true, l.steps, l.Now().UnixNano()
	return &simConn{s: s, m: l.simMachine, fd: fd}, nil
}

func (l *simListener) Close() error   { return nil }
func (l *simListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7791} }

// simConn is an accepted connection, before gnet has it.
type simConn struct {
	net.Conn
	s  *tcp
	m  *simMachine
	fd int
}

func (c *simConn) RemoteAddr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 40_000}
}
func (c *simConn) SetWriteDeadline(time.Time) error { return nil }
func (c *simConn) Write(b []byte) (int, error)      { return c.s.write(c.m, b) }
func (c *simConn) Close() error                     { c.m.closeFD(c.fd); return nil }
func (c *simConn) SetNoDelay(bool) error            { return c.option() }

func (c *simConn) SetKeepAlivePeriod(time.Duration) error { return c.option() }

func (c *simConn) option() error {
	err := c.m.errno("setsockopt")
	c.s.struck = c.s.struck || err != nil
	return err
}
