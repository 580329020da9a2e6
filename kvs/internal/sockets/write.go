package sockets

import (
	"fmt"

	"dpukv/internal/cpu"

	"golang.org/x/sys/unix"
)

// maxPieces is the most batches of one write: as many as [unix.Writev] takes without allocating.
const maxPieces = 8

// Launch puts the batch being filled in flight, and takes another to fill. The window is open. While the lane's
// other connections keep the server busy, this one's are held back until its window is full or the session waits or is flushed,
// and leave together.
func (c *Conn[N]) Launch() error {
	c.Filling.SentNs = cpu.NowNs()
	c.Flight = append(c.Flight, c.Filling)
	c.shared.traffic.Frames++
	c.refill()
	if !c.Spared() || !c.Open() {
		return c.Push()
	}
	if c.unsent == len(c.Flight)-1 { // else it follows one that is held back already, or that the kernel does not take
		c.shared.held = append(c.shared.held, c.number)
	}
	return nil
}

// Push writes what is not written yet, as far as the kernel takes it.
func (c *Conn[N]) Push() error {
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
		c.wrote(n)
	}
	return c.block(false)
}

// write is one system call for as many batches as it takes.
func (c *Conn[N]) write() (int, error) {
	first := c.Flight[c.unsent]
	rest := first.Frame[first.written:]
	if c.unsent == len(c.Flight)-1 {
		return unix.Write(c.fd, rest)
	}
	c.pieces = append(c.pieces[:0], rest)
	for _, b := range c.Flight[c.unsent+1 : min(c.unsent+maxPieces, len(c.Flight))] {
		c.pieces = append(c.pieces, b.Frame)
	}
	return unix.Writev(c.fd, c.pieces)
}

// wrote notes that so many bytes of the unsent batches are.
func (c *Conn[N]) wrote(n int) {
	c.shared.traffic.Writes++
	c.shared.traffic.SentBytes += uint64(n)
	for n > 0 {
		b := c.Flight[c.unsent]
		now := min(n, len(b.Frame)-b.written)
		n -= now
		if b.written += now; b.written == len(b.Frame) {
			c.unsent++
		}
	}
	c.reckon()
}

// block asks the poller to tell when the kernel takes more, or no longer to.
func (c *Conn[N]) block(blocked bool) error {
	if c.blocked == blocked {
		return nil
	}
	c.blocked = blocked
	return c.shared.poller.watch(unix.EPOLL_CTL_MOD, c.fd, c.number, blocked)
}
