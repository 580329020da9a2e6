package sockets

import (
	"context"
	"fmt"
	"net"
	"time"

	"dpukv/internal/rawsocket"
	"dpukv/kvs"

	"golang.org/x/sys/unix"
)

// minReadBytes is the smallest room for a read.
const minReadBytes = 32 << 10

// Conn is one connection of a session.
type Conn[N any] struct {
	Addr    string
	Filling *Batch[N]   // never nil; waits, when full, while the whole window is in flight
	Flight  []*Batch[N] // in the order sent
	// In[From:To] is read and not handed on.
	In       []byte
	From, To int

	fd        int
	secure    *secure // nil: in the clear
	link      Link    // in the place of fd; nil: there is none
	number    int     // in the session
	shared    *Shared
	groupLoad *groupLoad
	place     int // in the group
	idle      []*Batch[N]
	unsent    int      // index in Flight of the first batch not completely written
	pieces    [][]byte // of one write
	blocked   bool     // the kernel takes no more at present
	busy      bool     // counted as busy in groupLoad
}

// Dial connects, greets within the same time-out, and takes the socket away from Go's poller.
// Session.Add gives the connection to a session.
func (c *Conn[N]) Dial(
	p Peer, timeout time.Duration, greet func(net.Conn) error, opts kvs.SessionOptions,
) error {
	nc, err := p.dial(context.Background(), timeout) // the deadline ends with nc
	if err != nil {
		return err
	}
	defer nc.Close()
	if err := c.greet(&p, nc, greet); err != nil {
		return err
	}
	if c.fd, err = rawsocket.TakeOver(nc); err != nil {
		return err
	}
	if c.secure != nil {
		c.secure.takeOver(c.fd)
	}
	c.prepare(p.Addr, opts)
	return nil
}

// prepare makes the buffers.
func (c *Conn[N]) prepare(addr string, opts kvs.SessionOptions) {
	c.Addr, c.In, c.Flight = addr, make([]byte, 2*minReadBytes), make([]*Batch[N], 0, opts.Window)
	c.pieces = make([][]byte, 0, maxPieces)
	// One batch more than the window: a full one waits while the window is in flight.
	for range opts.Window + 1 {
		c.idle = append(c.idle,
			&Batch[N]{Frame: make([]byte, 0, 4096), Notes: make([]N, 0, opts.Batch)})
	}
	c.refill()
}

// greet greets a peer, through TLS if the peer has it.
func (c *Conn[N]) greet(p *Peer, nc net.Conn, greet func(net.Conn) error) (err error) {
	if p.TLS == nil {
		return greet(nc)
	}
	if c.secure, err = newSecure(p, nc); err != nil {
		return err
	}
	return Explain(greet(c.secure.tls))
}

// Room reports whether the current batch has room for another request.
func (c *Conn[N]) Room() bool { return len(c.Filling.Notes) < cap(c.Filling.Notes) }

// Begun reports whether the current batch has any request.
func (c *Conn[N]) Begun() bool { return len(c.Filling.Notes) > 0 }

// Open reports whether the window has room for another batch.
func (c *Conn[N]) Open() bool { return len(c.Flight) < cap(c.Flight) }

// refill takes an idle batch to fill.
func (c *Conn[N]) refill() {
	last := len(c.idle) - 1
	c.Filling, c.idle = c.idle[last], c.idle[:last]
	c.Filling.reset()
}

// Join adds the connection to a session and a group.
func (c *Conn[N]) Join(number int, shared *Shared, company *groupLoad) error {
	c.number, c.shared, c.groupLoad, c.place = number, shared, company, company.join()
	if c.link != nil {
		shared.linked = true
		return nil
	}
	return shared.poller.Watch(unix.EPOLL_CTL_ADD, c.fd, number, unix.EPOLLIN)
}

// Read reads once, behind the input that is not handed on, which it moves to the front of In. There
// is room for at least whole bytes, if that length is known. It is no error to read nothing.
func (c *Conn[N]) Read(whole int) (n int, err error) {
	copy(c.In, c.In[c.From:c.To])
	c.From, c.To = 0, c.To-c.From
	if c.link != nil {
		return c.readLink()
	}
	c.makeRoom(max(c.To+minReadBytes, whole))
	if c.secure == nil {
		n, err = receive(c.fd, c.In[c.To:])
	} else {
		n, err = c.readSecure()
	}
	switch {
	case err == unix.EAGAIN || err == unix.EINTR:
		return 0, nil
	case err != nil:
		return 0, fmt.Errorf("receive from %s: %w", c.Addr, err)
	case n == 0:
		return 0, fmt.Errorf("%s closed the connection with %d batches in flight", c.Addr,
			len(c.Flight))
	}
	c.To += n
	c.shared.traffic.ReceivedBytes += uint64(n)
	return n, nil
}

// receive is one recv, which does not block.
func receive(fd int, b []byte) (int, error) {
	n, errno := rawsocket.Receive(fd, b, 0)
	if errno != 0 {
		return 0, errno
	}
	return n, nil
}

// send is one send, which does not block.
func send(fd int, b []byte) (int, error) {
	n, errno := rawsocket.Send(fd, b, 0)
	if errno != 0 {
		return 0, errno
	}
	return n, nil
}

// makeRoom makes In as long as needed.
func (c *Conn[N]) makeRoom(need int) {
	if need > len(c.In) {
		c.In = append(make([]byte, 0, 2*need), c.In...)[:2*need]
	}
}

// Retire removes the oldest batch from flight. An answer to a batch that was not even sent is an
// error.
func (c *Conn[N]) Retire() error {
	b := c.Flight[0]
	if c.unsent == 0 {
		return fmt.Errorf("an answer came to a batch of %d bytes, of which only %d were "+
			"sent", len(b.Frame),
			b.written)
	}
	c.shared.pending -= len(b.Notes)
	c.Flight = append(c.Flight[:0], c.Flight[1:]...)
	c.groupLoad.open.add(c.place)
	c.unsent--
	c.updateLoad()
	c.idle = append(c.idle, b)
	return nil
}

// Close closes the descriptor, or the link.
func (c *Conn[N]) Close() error {
	if c.link != nil {
		return c.link.Close()
	}
	return unix.Close(c.fd)
}

// Spared reports whether each server worker has other connections' batches to answer, if they are
// evenly spread.
func (c *Conn[N]) Spared() bool {
	others := c.groupLoad.busy
	if c.busy {
		others--
	}
	return others >= c.groupLoad.workers
}

// updateLoad counts the connection as one that keeps the server busy, or no longer as one.
func (c *Conn[N]) updateLoad() {
	busy := len(c.Flight) > 0 && c.Flight[0].written > 0
	switch {
	case busy && !c.busy:
		c.groupLoad.busy++
	case c.busy && !busy:
		c.groupLoad.busy--
	}
	c.busy = busy
}

// maxPieces is the most batches per write: as many as [unix.Writev] takes without allocating.
const maxPieces = 8

// Launch puts the current batch in flight, and takes another one to fill. The window has room.
// While the group's other connections keep the server busy, this connection holds its batches back.
// They leave together when its window is full, or when the session waits or is flushed. Over a link
// a batch leaves at once: it costs no system call.
func (c *Conn[N]) Launch() error {
	c.Filling.SentNs = kvs.NowNs()
	c.Flight = append(c.Flight, c.Filling)
	c.shared.traffic.Frames++
	c.refill()
	c.groupLoad.room.add(c.place)
	if !c.Open() {
		c.groupLoad.open.remove(c.place)
	}
	if c.link != nil || !c.Spared() || !c.Open() {
		return c.Push(c.Flight[len(c.Flight)-1].SentNs)
	}
	if c.unsent == len(c.Flight)-1 { // else it follows a batch that is held back or blocked
		c.shared.held = append(c.shared.held, c.number)
	}
	return nil
}

// Push writes all unwritten batches, as far as the kernel takes them. The time is that of the call:
// the clock is read again only if one system call does not take everything.
func (c *Conn[N]) Push(nowNs int64) error {
	for c.unsent < len(c.Flight) {
		n, err := c.write()
		if err == unix.EAGAIN {
			return c.block(true)
		}
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return fmt.Errorf("send to %s: %w", c.Addr, err)
		}
		c.wrote(n, nowNs)
		if c.unsent < len(c.Flight) {
			nowNs = kvs.NowNs()
		}
	}
	return c.block(false)
}

// write is one system call for as many batches as it takes, or one message of a link.
func (c *Conn[N]) write() (int, error) {
	if c.link != nil {
		return c.sendLink()
	}
	if c.secure != nil {
		return c.writeSecure()
	}
	first := c.Flight[c.unsent]
	rest := first.Frame[first.written:]
	if c.unsent == len(c.Flight)-1 {
		return send(c.fd, rest)
	}
	c.pieces = append(c.pieces[:0], rest)
	for _, b := range c.Flight[c.unsent+1 : min(c.unsent+maxPieces, len(c.Flight))] {
		c.pieces = append(c.pieces, b.Frame)
	}
	return unix.Writev(c.fd, c.pieces)
}

// wrote records that a system call at nowNs wrote n bytes of the unsent batches.
func (c *Conn[N]) wrote(n int, nowNs int64) {
	if c.link == nil {
		c.shared.traffic.Writes++
	}
	c.shared.traffic.SentBytes += uint64(n)
	for n > 0 {
		b := c.Flight[c.unsent]
		now := min(n, len(b.Frame)-b.written)
		n -= now
		if b.written += now; b.written == len(b.Frame) {
			c.unsent++
			c.shared.traffic.SentOps += uint64(len(b.Notes))
			c.shared.traffic.QueuedNs += uint64(nowNs-b.SentNs) * uint64(len(b.Notes))
		}
	}
	c.updateLoad()
}

// block asks the poller to report when the kernel takes more, or to stop reporting it.
func (c *Conn[N]) block(blocked bool) error {
	if c.blocked == blocked {
		return nil
	}
	if c.blocked = blocked; c.link != nil {
		return nil // poll tries again
	}
	events := uint32(unix.EPOLLIN)
	if blocked {
		events |= unix.EPOLLOUT
	}
	return c.shared.poller.Watch(unix.EPOLL_CTL_MOD, c.fd, c.number, events)
}
