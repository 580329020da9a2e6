package herd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"dpukv/verbs"
)

// parseJoin reads a join for a number of workers. It makes no more endpoints than that, whatever
// the text says.
func parseJoin(text []byte, workers int) (*join, error) {
	var j join
	d := json.NewDecoder(bytes.NewReader(text))
	if err := delim(d, '{'); err != nil {
		return nil, err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		switch name {
		case "slots":
			err = d.Decode(&j.Slots)
		case "links":
			err = j.parseLinks(d, workers)
		case "in_order":
			err = d.Decode(&j.InOrder)
		default:
			err = fmt.Errorf("found %q, allowed: slots, links, in_order", name)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := delim(d, '}'); err != nil {
		return nil, err
	}
	if more, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.Join(fmt.Errorf("found %v after the end, allowed: nothing", more), err)
	}
	return &j, nil
}

func (j *join) parseLinks(d *json.Decoder, workers int) error {
	if j.Links != nil {
		return errors.New("found links twice")
	}
	if err := delim(d, '['); err != nil {
		return err
	}
	j.Links = make([]endpoint, 0, workers)
	for d.More() {
		if len(j.Links) == workers {
			return fmt.Errorf("queue pairs: found them for more than %d workers, allowed: %[1]d",
				workers)
		}
		var e endpoint
		if err := d.Decode(&e); err != nil {
			return err
		}
		j.Links = append(j.Links, e)
	}
	return delim(d, ']')
}

func delim(d *json.Decoder, want json.Delim) error {
	if got, err := d.Token(); err != nil || got != want {
		return errors.Join(fmt.Errorf("found %v, allowed: %v", got, want), err)
	}
	return nil
}

// join gives a client its slots. Joins run one after the other, which bounds their temporary
// memory.
func (c *client) join(body []byte) (*slotGrant, error) {
	s := c.server
	s.joining <- struct{}{}
	defer func() { <-s.joining }()
	j, err := parseJoin(body, len(s.workers))
	if err != nil {
		return nil, fmt.Errorf("the join is invalid: %v", err)
	}
	if err := j.check(s); err != nil {
		return nil, err
	}
	if c.number != 0 {
		return nil, errors.New("found a second join, allowed: one")
	}
	if err := s.reserveSlots(c); err != nil {
		return nil, err
	}
	return c.allocateSlots(j) // when the client leaves, it frees what a failure leaves behind
}

func (c *client) allocateSlots(j *join) (given *slotGrant, err error) {
	s := c.server
	if c.pd, err = s.device.AllocPD(); err != nil {
		return nil, err
	}
	bytes := j.Slots * s.cfg.SlotBytes
	c.region, err = c.pd.AllocMR(bytes*len(s.workers), verbs.LocalWrite|verbs.RemoteWrite)
	if err != nil {
		return nil, err
	}
	given = &slotGrant{Region: c.region.Region()}
	for i, w := range s.workers {
		in, err := w.newInbox(c, c.region.Bytes()[i*bytes:(i+1)*bytes], j.Links[i])
		c.inboxes = append(c.inboxes, in)
		in.inOrder = j.InOrder
		if err != nil {
			return nil, fmt.Errorf("worker %d: %w", i, err)
		}
		given.Links = append(given.Links, in.local)
		if !w.do(func() { w.inboxes = append(w.inboxes, in) }) {
			return nil, net.ErrClosed
		}
	}
	return given, nil
}

// reserveSlots counts a client that will have slots. It never reuses the client's number, so that a
// late completion never names a later client.
func (s *Server) reserveSlots(c *client) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.slotHolders == s.cfg.MaxClients {
		return fmt.Errorf("all %d clients that this server was started for have slots: end one, "+
			"or start the server with more (--max-clients)",
			s.slotHolders)
	}
	if s.joined++; s.joined == 0 { // after 2^32 of them
		s.joined = 1
	}
	c.number = s.joined
	if s.slotHolders++; s.slotHolders == 1 {
		s.busy = time.Now()
	}
	return nil
}

// leave frees a client's slots: first in the workers, then in the device. Slots that the device
// does not free stay allocated, as the device may still write to them. They stay counted, as their
// memory is in use.
func (c *client) leave() {
	if c.number == 0 {
		return
	}
	s := c.server
	if err := c.free(); err != nil {
		s.clientFailures.add("the slots of a client that left could not be freed, and are lost",
			err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slotHolders--
}

func (c *client) free() error {
	var errs []error
	if c.leaveExtension != nil {
		errs = append(errs, c.leaveExtension())
	}
	for i, in := range c.inboxes {
		w := c.server.workers[i]
		w.do(func() { w.forget(in) })
		errs = append(errs, in.close())
	}
	if err := errors.Join(errs...); err != nil {
		return err // a live queue pair may still write
	}
	if err := verbs.Close(c.region); err != nil {
		return err
	}
	return verbs.Close(c.pd)
}
