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

	"dpukv/verbs"
)

// client is a connection as the server has it: a side channel, and slots at every worker once it has joined.
type client struct {
	server *Server
	conn   net.Conn

	writing sync.Mutex
	gone    sync.Once

	region  verbs.MR // its slots, all workers' in a row
	inboxes []*inbox // one a worker
}

// accept takes connections until the listener is closed.
func (s *Server) accept() {
	defer s.serving.Done()
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			if !errors.Is(err, net.ErrClosed) {
				s.ended(fmt.Errorf("accept clients: %w", err))
			}
			return
		}
		c := &client{server: s, conn: conn}
		if err := s.admit(c); err != nil {
			c.fail(err)
			continue
		}
		go c.serve()
	}
}

// sideChannels is how many connections there may be for each that can have slots: others ask for counters.
const sideChannels = 4

func (s *Server) admit(c *client) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closing:
		return net.ErrClosed
	case len(s.clients) >= sideChannels*s.cfg.MaxClients:
		return fmt.Errorf("%d connections are all that this server takes", sideChannels*s.cfg.MaxClients)
	}
	s.clients[c] = struct{}{}
	s.serving.Add(1)
	return nil
}

// dismiss ends all connections. Their goroutines see to the rest.
func (s *Server) dismiss(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closing = true
	for c := range s.clients {
		go c.fail(why)
	}
}

// serve answers a client's frames until it goes, and then frees what it had.
func (c *client) serve() {
	defer c.server.serving.Done()
	err := c.converse() // until something ends it
	if !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) {
		c.fail(err)
	}
	c.conn.Close()
	c.leave()
	c.server.mu.Lock()
	delete(c.server.clients, c)
	c.server.mu.Unlock()
}

// fail tells a client why its connection ends, and ends it.
func (c *client) fail(why error) {
	c.gone.Do(func() {
		_ = c.send(kindFailure, failure{why.Error()}) // it is being closed anyway
		_ = c.conn.Close()
	})
}

func (c *client) send(k kind, v any) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if err := c.conn.SetWriteDeadline(time.Now().Add(handshakeTimeout)); err != nil {
		return err
	}
	return writeFrame(c.conn, k, v)
}

func (c *client) converse() error {
	if err := c.conn.SetReadDeadline(time.Now().Add(handshakeTimeout)); err != nil {
		return err
	}
	if err := expect(c.conn, kindHello, &hello{}); err != nil {
		return err
	}
	if err := c.conn.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	if err := c.send(kindWelcome, c.server.welcome()); err != nil {
		return err
	}
	for {
		k, body, err := readFrame(c.conn)
		if err != nil {
			return err
		}
		if err := c.answer(k, body); err != nil {
			return err
		}
	}
}

func (c *client) answer(k kind, body []byte) error {
	switch k {
	case kindAsk:
		stats, err := c.server.Stats()
		if err != nil {
			return err
		}
		return c.send(kindStats, stats)
	case kindJoin:
		var j join
		if err := json.Unmarshal(body, &j); err != nil {
			return fmt.Errorf("a join that is not understood: %w", err)
		}
		given, err := c.join(&j)
		if err != nil {
			return err
		}
		return c.send(kindSeat, given)
	}
	return fmt.Errorf("a frame of kind %d", k)
}

// join gives a client its slots.
func (c *client) join(j *join) (*seat, error) {
	s := c.server
	if err := j.check(len(s.workers), s.cfg.Window); err != nil {
		return nil, err
	}
	if c.region != nil {
		return nil, errors.New("a second join")
	}
	if err := s.takeSeat(); err != nil {
		return nil, err
	}
	bytes := j.Slots * s.cfg.SlotBytes
	var err error
	if c.region, err = s.pd.AllocMR(bytes*len(s.workers), verbs.LocalWrite|verbs.RemoteWrite); err != nil {
		s.giveSeat()
		return nil, err
	}
	given := &seat{Region: c.region.Region()}
	for i, w := range s.workers {
		in, err := w.newInbox(c, c.region.Bytes()[i*bytes:(i+1)*bytes], j.Links[i])
		if err != nil {
			return nil, fmt.Errorf("worker %d: %w", i, err)
		}
		c.inboxes = append(c.inboxes, in)
		given.Links = append(given.Links, in.local)
		if !w.do(func() { w.inboxes = append(w.inboxes, in) }) {
			return nil, net.ErrClosed
		}
	}
	return given, nil
}

func (s *Server) takeSeat() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seated == s.cfg.MaxClients {
		return fmt.Errorf("%d clients have slots, which is all that this server was started for", s.seated)
	}
	if s.seated++; s.seated == 1 {
		s.busy = time.Now()
	}
	return nil
}

func (s *Server) giveSeat() {
	s.mu.Lock()
	s.seated--
	s.mu.Unlock()
}

// leave frees a client's slots: first the workers forget them, then the device.
func (c *client) leave() {
	if c.region == nil {
		return
	}
	var errs []error
	for i, in := range c.inboxes {
		w := c.server.workers[i]
		w.do(func() { w.forget(in) })
		errs = append(errs, in.close())
	}
	if err := errors.Join(append(errs, c.region.Close())...); err != nil {
		c.server.ended(fmt.Errorf("free the slots of %s: %w", c.conn.RemoteAddr(), err))
	}
	c.server.giveSeat()
}

// randomKey is a Q_Key. Its highest bit marks privileged ones.
func randomKey() uint32 { return rand.Uint32() >> 1 }
