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

	"dpukv/internal/admission"
	"dpukv/verbs"
)

// client is the server's side of a connection: a side channel and, once the client has joined,
// slots at every worker. One goroutine reads, answers and writes. It frees everything at the end.
type client struct {
	server *Server
	conn   net.Conn
	left   func() // gives the connection's place back to the door

	mu         sync.Mutex
	reason     error     // why the connection must end; nil: it goes on
	lastActive time.Time // time of the last frame from the client

	nextAsk time.Time // when the client may ask again

	number  uint32   // number among the clients that have had slots, from 1; 0: it has none
	pd      verbs.PD // its own, so that its keys give no access to other clients
	region  verbs.MR // its slots, all workers' in a row
	inboxes []*inbox // one per worker

	leaveExtension func() error // nil: it has asked for nothing
}

// receive serves a connection that has a place at the door.
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
	s.serving.Go(c.serve)
	s.endIdle()
}

// endIdle closes connections that have been idle for long, when few places are left. The caller
// holds s.mu.
func (s *Server) endIdle() {
	if len(s.clients) <= s.cfg.MaxConnections*crowdedPercent/100 {
		return
	}
	for c := range s.clients {
		if c.number == 0 && c.idle() > idleTimeout {
			c.end(fmt.Errorf("the connection was idle for %v, and another client needs it: "+
				"connect again",
				idleTimeout))
		}
	}
}

// makeRoom implements the door's Full.
func (s *Server) makeRoom() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endIdle()
}

// refusal is the failure frame for a connection without a place.
func refusal(why error) []byte {
	frame, _ := makeFrame(kindFailure, failure{why.Error()}) // a string always marshals
	return frame
}

// endAll closes all connections. Their goroutines free the rest.
func (s *Server) endAll(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closing = true
	for c := range s.clients {
		c.end(why)
	}
}

// end asks the connection to end. The first reason counts. It does not wait: pending reads and
// writes of the client's goroutine return.
func (c *client) end(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reason == nil {
		c.reason = why
		_ = c.conn.SetDeadline(time.Unix(1, 0)) // fails only on a closed connection
	}
}

// ending returns the reason why the connection must end, or nil.
func (c *client) ending() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reason
}

// within sets the deadline of the next reads or writes, d from now; 0: none. It fails if the
// connection must end.
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

// serve answers a client's frames until the connection ends. Then it frees the client's resources.
func (c *client) serve() {
	s := c.server
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
		return fmt.Errorf("frame kind: found %d, allowed: %d", k, kindHello)
	default:
		if err := json.Unmarshal(body, &hello{}); err != nil {
			return fmt.Errorf("the hello is invalid: %w", err)
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

// read reads a frame that must begin within a time; 0: at any time.
func (c *client) read(begins time.Duration) (kind, []byte, error) {
	var h head
	if err := c.within(begins, c.conn.SetReadDeadline); err != nil {
		return 0, nil, err
	}
	if _, err := io.ReadFull(c.conn, h[:1]); err != nil {
		return 0, nil, c.timeoutError(err, "no frame came within %v", begins)
	}
	c.noteActivity()
	if err := c.within(frameTimeout, c.conn.SetReadDeadline); err != nil {
		return 0, nil, err
	}
	if _, err := io.ReadFull(c.conn, h[1:]); err != nil {
		return 0, nil, c.timeoutError(err, "the frame was not complete within %v", frameTimeout)
	}
	n, err := h.check(frameBytes(h.kind(), c.server.cfg.Workers))
	if err != nil {
		return 0, nil, err
	}
	body, err := readBody(c.conn, n)
	return h.kind(), body, c.timeoutError(err, "the frame was not complete within %v", frameTimeout)
}

// timeoutError replaces an error by a clear text if it is a time-out.
func (c *client) timeoutError(err error, text string, d time.Duration) error {
	var timed net.Error
	if errors.As(err, &timed) && timed.Timeout() {
		return fmt.Errorf(text, d)
	}
	return err
}

func (c *client) answer(k kind, body []byte) (err error) {
	var frame []byte
	var given any
	switch k {
	case kindAsk:
		frame, err = c.stats()
	case kindJoin:
		if given, err = c.join(body); err == nil {
			frame, err = makeFrame(kindSlotGrant, given)
		}
	case kindExtend:
		if given, err = c.extend(body); err == nil {
			frame, err = makeFrame(kindExtended, given)
		}
	default:
		err = fmt.Errorf("frame kind: found %d, allowed: a join or an ask", k)
	}
	if err != nil {
		return err
	}
	return c.write(frame)
}

// stats answers a request for counters, at most once per askInterval.
func (c *client) stats() ([]byte, error) {
	if wait := time.Until(c.nextAsk); wait > 0 && !c.server.cfg.unthrottled {
		time.Sleep(wait)
	}
	frame, err := c.server.statsReader.read(c.server)
	c.nextAsk = time.Now().Add(askInterval)
	return frame, err
}

// randomKey returns a random Q_Key. The highest bit marks privileged keys, so it is clear.
func randomKey() uint32 { return rand.Uint32() >> 1 }

// extend answers a client's question to the extension, once.
func (c *client) extend(question []byte) (any, error) {
	x := c.server.cfg.Extension
	switch {
	case x == nil || c.number == 0:
		return nil, errors.New("found a question to a store beside HERD, allowed: to a server " +
			"that has one, from a client that has slots")
	case c.leaveExtension != nil:
		return nil, errors.New("found a second question to the store beside HERD, allowed: one")
	}
	answer, leave, err := x.Admit(question)
	c.leaveExtension = leave
	return answer, err
}
