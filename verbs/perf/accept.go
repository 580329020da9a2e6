package perf

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"dpukv/verbs/sidechannel"
)

const (
	// helloTimeout is the time limit for a connection's hello, which says what to measure.
	helloTimeout = 10 * time.Second
	// helloLimit is the maximum length of a hello, in bytes.
	helloLimit = 16 << 10
	// maxHellos is the maximum number of connections without a hello. Others wait in the kernel.
	maxHellos = 16
)

// Caller is a client that has sent its hello.
type Caller struct {
	conn net.Conn
	ch   *sidechannel.Channel
	cfg  Config
}

// Close closes the connection.
func (c *Caller) Close() error { return c.conn.Close() }

// Accept waits for a client. It closes connections with an invalid hello. refused receives the
// reasons, one call at a time, and may be nil. Accept closes the listener at the end.
func Accept(ctx context.Context, l net.Listener, refused func(error)) (*Caller, error) {
	r := reception{
		listener: l, refused: refused,
		open: map[net.Conn]bool{}, room: make(chan struct{}, maxHellos),
	}
	defer context.AfterFunc(ctx, r.close)()
	err := r.serve()
	r.hellos.Wait()
	switch {
	case r.caller != nil:
		return r.caller, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	return nil, err
}

// reception holds the connections until one of them is the client's.
type reception struct {
	listener net.Listener
	refused  func(error)
	room     chan struct{}
	hellos   sync.WaitGroup

	mu     sync.Mutex
	open   map[net.Conn]bool // without a hello yet
	over   bool
	caller *Caller
}

// serve accepts connections until the reception is closed.
func (r *reception) serve() error {
	for {
		r.room <- struct{}{}
		conn, err := r.listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return err
		case err != nil: // a lack of descriptors or memory passes
			r.refuse(err)
			time.Sleep(10 * time.Millisecond)
			<-r.room
			continue
		}
		r.hellos.Go(func() {
			r.hear(conn)
			<-r.room
		})
	}
}

// hear handles one connection.
func (r *reception) hear(conn net.Conn) {
	if !r.add(conn) {
		_ = conn.Close()
		return
	}
	c, err := greet(conn)
	r.mu.Lock()
	delete(r.open, conn)
	first := err == nil && !r.over
	if first {
		r.caller = c
	}
	r.mu.Unlock()
	if first {
		r.close()
		return
	}
	_ = conn.Close()
	if err != nil {
		r.refuse(err)
	}
}

// add returns false when the reception is closed.
func (r *reception) add(conn net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over {
		r.open[conn] = true
	}
	return !r.over
}

func (r *reception) refuse(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over && r.refused != nil {
		r.refused(err)
	}
}

// close ends the reception, and closes all connections but the client's.
func (r *reception) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	_ = r.listener.Close()
	for conn := range r.open {
		_ = conn.Close()
	}
}

// greet reads a connection's hello.
func greet(conn net.Conn) (*Caller, error) {
	c := &Caller{conn: conn, ch: sidechannel.New(conn)}
	c.ch.SetLimit(helloLimit)
	c.ch.SetTimeout(helloTimeout)
	if err := c.ch.Receive(&c.cfg); err != nil {
		return nil, err
	}
	if err := c.cfg.Check(); err != nil {
		err = fmt.Errorf("the client at %s: %w", conn.RemoteAddr(), err)
		return nil, errors.Join(err, c.ch.Send(failure(err)))
	}
	return c, nil
}
