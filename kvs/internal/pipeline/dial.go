package pipeline

import (
	"fmt"
	"net"
	"time"

	"dpukv/kvs/internal/sockets"
)

// dialConn connects, greets, and takes the socket away from Go's poller.
func dialConn(t Target, s *session) (*conn, error) {
	nc, err := net.DialTimeout("tcp", t.Addr, t.Timeout)
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	if err := greet(t, nc); err != nil {
		return nil, fmt.Errorf("%s: %w", t.Addr, err)
	}
	fd, err := sockets.TakeOver(nc.(*net.TCPConn))
	if err != nil {
		return nil, err
	}
	c := &conn{
		session: s, wire: t.Wire(), fd: fd, addr: t.Addr,
		in: make([]byte, minReadBytes), flight: make([]*batch, 0, s.opts.Window),
	}
	// One batch more than the window: a full one waits while the window is in flight.
	for range s.opts.Window + 1 {
		c.idle = append(c.idle, &batch{frame: make([]byte, 0, 4096), notes: make([]note, 0, s.opts.Batch)})
	}
	c.refill()
	return c, nil
}

func greet(t Target, nc net.Conn) error {
	if t.Greet == nil {
		return nil
	}
	if err := nc.SetDeadline(time.Now().Add(t.Timeout)); err != nil {
		return err
	}
	if err := t.Greet(nc); err != nil {
		return err
	}
	return nc.SetDeadline(time.Time{})
}
