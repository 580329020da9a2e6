package herd

import (
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"dpukv/kvs/internal/simulation"
)

// simFiles are the descriptors of a simulated process.
type simFiles struct {
	mu          sync.Mutex
	open, limit int
}

func (f *simFiles) acquire() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open >= f.limit {
		return false
	}
	f.open++
	return true
}

func (f *simFiles) release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open--
}

// simSpare is the spare descriptor.
type simSpare struct{ files *simFiles }

func (s simSpare) Close() error { s.files.release(); return nil }

// simListener has connections that wait to be accepted.
type simListener struct {
	world *simulation.World
	files *simFiles
	queue []*simConn
}

func (l *simListener) Addr() net.Addr { return simAddr{} }
func (l *simListener) Close() error   { return nil }

func (l *simListener) Accept() (net.Conn, error) {
	if err := l.world.Errno("accept4"); err != nil {
		return nil, &net.OpError{Op: "accept", Net: "sim", Err: err}
	}
	if len(l.queue) == 0 { // where a real one would wait
		return nil, &net.OpError{Op: "accept", Net: "sim", Err: syscall.ECONNABORTED}
	}
	if !l.files.acquire() {
		return nil, &net.OpError{Op: "accept", Net: "sim", Err: syscall.EMFILE}
	}
	c := l.queue[0]
	l.queue = l.queue[1:]
	c.mu.Lock()
	defer c.mu.Unlock()
	c.accepted = true
	if !c.said || len(c.tail) > 0 {
		c.since = time.Now()
	}
	return c, nil
}

type simAddr struct{}

func (simAddr) Network() string { return "sim" }
func (simAddr) String() string  { return "sim" }

const (
	simBuffer = 8 // frames that a socket takes of what nobody reads; their bytes differ from run to run
	simRead   = pieceBytes
)

// simConn is a side channel. The server's goroutine uses the methods of [net.Conn], the simulation
// the others.
type simConn struct {
	world *simulation.World
	files *simFiles

	mu              sync.Mutex
	changed         chan struct{} // closed at each change
	in, out         []byte        // to the server, from the server
	unread          int           // frames of out
	hungUp          bool          // the client has
	accepted        bool
	closed          bool // the server has
	readBy, writeBy time.Time
	got             int // bytes that the server has read
	greedy          int // the most that it wanted beyond twice of what it had got
	failing         bool
	said            bool      // the client has sent a whole frame
	tail            []byte    // bytes that the client has sent of an incomplete frame
	blocked         time.Time // since when the server waits to write; zero: it does not
	since           time.Time // when that began, or the connection; zero: all frames are whole
}

func newSimConn(w *simulation.World, files *simFiles) *simConn {
	return &simConn{world: w, files: files, changed: make(chan struct{})}
}

// change does something and wakes who waits.
func (c *simConn) change(what func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	what()
	close(c.changed)
	c.changed = make(chan struct{})
}

// await blocks until try has something to say, or until a time.
func (c *simConn) await(by *time.Time, try func() (int, error, bool)) (int, error) {
	for {
		c.mu.Lock()
		if c.closed {
			c.mu.Unlock()
			return 0, &net.OpError{Op: "use", Net: "sim", Err: net.ErrClosed}
		}
		until := *by
		if !until.IsZero() && !time.Now().Before(until) {
			c.mu.Unlock()
			return 0, &net.OpError{Op: "use", Net: "sim", Err: os.ErrDeadlineExceeded}
		}
		n, err, done := try()
		changed := c.changed
		c.mu.Unlock()
		if done {
			return n, err
		}
		var over <-chan time.Time
		if !until.IsZero() {
			t := time.NewTimer(time.Until(until))
			defer t.Stop()
			over = t.C
		}
		select {
		case <-changed:
		case <-over:
		}
	}
}

func (c *simConn) Read(p []byte) (int, error) {
	return c.await(&c.readBy, func() (int, error, bool) {
		c.greedy = max(c.greedy, len(p)-2*c.got-simRead)
		switch {
		case c.failing:
			return 0, syscall.ECONNRESET, true
		case len(c.in) > 0:
			n := copy(p, c.in)
			c.in, c.got = c.in[n:], c.got+n
			return n, nil, true
		case c.hungUp:
			return 0, io.EOF, true
		}
		return 0, nil, false
	})
}

func (c *simConn) Write(p []byte) (int, error) {
	return c.await(&c.writeBy, func() (int, error, bool) {
		switch {
		case c.failing || c.hungUp && c.unread >= 0:
			return 0, syscall.EPIPE, true
		case c.unread < simBuffer:
			c.out = append(c.out, p...)
			c.unread++
			c.blocked = time.Time{}
			return len(p), nil, true
		}
		if c.blocked.IsZero() {
			c.blocked = time.Now()
		}
		return 0, nil, false
	})
}

func (c *simConn) Close() error {
	c.change(func() {
		if !c.closed {
			c.closed = true
			c.files.release()
		}
	})
	return nil
}

func (c *simConn) SetReadDeadline(t time.Time) error { c.change(func() { c.readBy = t }); return nil }

func (c *simConn) SetWriteDeadline(t time.Time) error { c.change(func() { c.writeBy = t }); return nil }

func (c *simConn) SetDeadline(t time.Time) error {
	c.change(func() { c.readBy, c.writeBy = t, t })
	return nil
}
func (c *simConn) LocalAddr() net.Addr  { return simAddr{} }
func (c *simConn) RemoteAddr() net.Addr { return simAddr{} }

// give sends bytes to the server.
func (c *simConn) give(b []byte) {
	c.change(func() {
		c.in = append(c.in, b...)
		c.follow(b)
	})
}

// follow keeps count of the frames that the client sends.
func (c *simConn) follow(b []byte) {
	c.tail = append(c.tail, b...)
	if c.since.IsZero() {
		c.since = time.Now()
	}
	for len(c.tail) >= frameHeaderBytes {
		n, err := (*head)(c.tail).check(maxBodyBytes)
		if n += frameHeaderBytes; err != nil || len(c.tail) < n {
			return
		}
		c.tail, c.said = c.tail[n:], true
	}
	if len(c.tail) == 0 {
		c.since = time.Time{}
	}
}

// overdue reports whether the server should have ended the connection, with time to spare for
// earlier questions.
func (c *simConn) overdue() bool {
	const limit = helloTimeout + frameTimeout + writeTimeout + 5*time.Second
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.accepted && (!c.since.IsZero() && time.Since(c.since) > limit ||
		!c.blocked.IsZero() && time.Since(c.blocked) > limit)
}

// hangUp is the client's end.
func (c *simConn) hangUp() { c.change(func() { c.hungUp = true }) }

// reset is the end of the line.
func (c *simConn) reset() { c.change(func() { c.failing, c.hungUp = true, true }) }

// frame takes a complete frame that the server has sent, if there is one.
func (c *simConn) frame() (k kind, body []byte, ok bool) {
	c.change(func() {
		if len(c.out) < frameHeaderBytes {
			return
		}
		n, err := (*head)(c.out).check(maxBodyBytes)
		if err != nil {
			c.world.Failf("the server sends no frame: %v", err)
		}
		if n += frameHeaderBytes; len(c.out) >= n {
			k, body, ok = (*head)(c.out).kind(), append([]byte(nil), c.out[frameHeaderBytes:n]...), true
			c.out = c.out[n:]
			c.unread--
		}
	})
	return k, body, ok
}

// heard reports whether the server has read anything, or is about to.
func (c *simConn) heard() (any, waiting bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.got > 0, len(c.in) > 0
}

// over reports whether the server has closed the connection.
func (c *simConn) over() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}
