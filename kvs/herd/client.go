package herd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"time"

	"dpukv/kvs/internal/admission"
	"dpukv/verbs"
)

// client is a connection as the server has it: a side channel, and slots at every worker once it
// has joined. One goroutine reads, answers and writes, and frees all in the end.
type client struct {
	server *Server
	conn   net.Conn
	left   func() // gives the place at the door back

	mu         sync.Mutex
	reason     error     // why it must end; nil: it goes on
	lastActive time.Time // since when it has sent nothing

	nextAsk time.Time // when it may ask again

	number  uint32   // of those that have had slots, from 1; 0: it has none
	pd      verbs.PD // its own, so that its keys open nothing to others
	region  verbs.MR // its slots, all workers' in a row
	inboxes []*inbox // one a worker
}

// receive is what the door does with a connection that has a place.
func (s *Server) receive(conn net.Conn, left func()) {
	c := &client{server: s, conn: conn, left: left, lastActive: time.Now()}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		_ = conn.Close()
		left()
		return
	}
	s.clients[c] = struct{}{}
	s.serving.Add(1)
	go c.serve()
	s.endIdle()
}

// endIdle ends connections that have been idle for long, where places get few. s.mu is held.
func (s *Server) endIdle() {
	if len(s.clients) <= s.cfg.MaxConnections*crowdedPercent/100 {
		return
	}
	for c := range s.clients {
		if c.number == 0 && c.idle() > idleTimeout {
			c.end(fmt.Errorf("nothing was asked here for %v, and others need the place: connect again",
				idleTimeout))
		}
	}
}

// makeRoom is clear for the door.
func (s *Server) makeRoom() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endIdle()
}

// refusal is what a connection without a place is told.
func refusal(why error) []byte {
	frame, _ := makeFrame(kindFailure, failure{why.Error()}) // of a string, which can't fail
	return frame
}

// endAll ends all connections. Their goroutines see to the rest.
func (s *Server) endAll(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closing = true
	for c := range s.clients {
		c.end(why)
	}
}

// end has a connection end, for the reason that comes first. It does not wait: whatever the
// client's goroutine waits for at the connection returns.
func (c *client) end(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reason == nil {
		c.reason = why
		_ = c.conn.SetDeadline(time.Unix(1, 0)) // fails only where it is closed
	}
}

// ending is why the connection must end, or nil.
func (c *client) ending() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reason
}

// within sets until when the next reads or writes may take; 0: for ever. It fails if the connection
// is to end.
func (c *client) within(d time.Duration, set func(time.Time) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reason != nil {
		return c.reason
	}
	var until time.Time
	if d > 0 {
		until = time.Now().Add(d)
	}
	return set(until)
}

// noteActivity notes that the client has sent something.
func (c *client) noteActivity() {
	c.mu.Lock()
	c.lastActive = time.Now()
	c.mu.Unlock()
}

func (c *client) idle() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Since(c.lastActive)
}

// serve answers a client's frames until it goes, and then frees what it had.
func (c *client) serve() {
	s := c.server
	defer s.serving.Done()
	err := c.serveFrames() // until something ends it
	if why := c.ending(); why != nil {
		err = why
	}
	gone := errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed)
	if !gone && c.conn.SetDeadline(time.Time{}) == nil {
		admission.Tell(c.conn, refusal(err))
	}
	_ = c.conn.Close()
	c.leave()
	s.mu.Lock()
	delete(s.clients, c)
	s.mu.Unlock()
	c.left()
}

func (c *client) send(k kind, v any) error {
	frame, err := makeFrame(k, v)
	if err != nil {
		return err
	}
	return c.write(frame)
}

func (c *client) write(frame []byte) error {
	if err := c.within(writeTimeout, c.conn.SetWriteDeadline); err != nil {
		return err
	}
	_, err := c.conn.Write(frame)
	return err
}

func (c *client) serveFrames() error {
	switch k, body, err := c.read(helloTimeout); {
	case err != nil:
		return err
	case k != kindHello:
		return fmt.Errorf("a frame of kind %d, want %d", k, kindHello)
	default:
		if err := json.Unmarshal(body, &hello{}); err != nil {
			return fmt.Errorf("a hello that is not understood: %w", err)
		}
	}
	if err := c.send(kindWelcome, c.server.welcome()); err != nil {
		return err
	}
	for {
		k, body, err := c.read(0)
		if err != nil {
			return err
		}
		if err := c.answer(k, body); err != nil {
			return err
		}
	}
}

// read reads a frame that begins within some time, or whenever it likes.
func (c *client) read(begins time.Duration) (kind, []byte, error) {
	var h head
	if err := c.within(begins, c.conn.SetReadDeadline); err != nil {
		return 0, nil, err
	}
	if _, err := io.ReadFull(c.conn, h[:1]); err != nil {
		return 0, nil, c.timeoutError(err, "no frame within %v", begins)
	}
	c.noteActivity()
	if err := c.within(frameTimeout, c.conn.SetReadDeadline); err != nil {
		return 0, nil, err
	}
	if _, err := io.ReadFull(c.conn, h[1:]); err != nil {
		return 0, nil, c.timeoutError(err, "a frame that was not whole within %v", frameTimeout)
	}
	n, err := h.check(frameBytes(h.kind(), c.server.cfg.Workers))
	if err != nil {
		return 0, nil, err
	}
	body, err := readBody(c.conn, n)
	return h.kind(), body, c.timeoutError(err, "a frame that was not whole within %v", frameTimeout)
}

// timeoutError says in words that time is over, where that is what an error says.
func (c *client) timeoutError(err error, text string, d time.Duration) error {
	var timed net.Error
	if errors.As(err, &timed) && timed.Timeout() {
		return fmt.Errorf(text, d)
	}
	return err
}

func (c *client) answer(k kind, body []byte) error {
	switch k {
	case kindAsk:
		frame, err := c.ask()
		if err != nil {
			return err
		}
		return c.write(frame)
	case kindJoin:
		given, err := c.join(body)
		if err != nil {
			return err
		}
		return c.send(kindSlotGrant, given)
	}
	return fmt.Errorf("a frame of kind %d", k)
}

// ask answers a question for counters, no sooner than askEvery after the one before.
func (c *client) ask() ([]byte, error) {
	if wait := time.Until(c.nextAsk); wait > 0 && !c.server.cfg.unthrottled {
		time.Sleep(wait)
	}
	frame, err := c.server.statsReader.read(c.server)
	c.nextAsk = time.Now().Add(askInterval)
	return frame, err
}

// randomKey is a Q_Key. Its highest bit marks privileged ones.
func randomKey() uint32 { return rand.Uint32() >> 1 }
