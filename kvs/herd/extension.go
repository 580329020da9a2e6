package herd

import (
	"encoding/json"
	"errors"
	"fmt"

	"dpukv/kvs"
	"dpukv/kvs/partition"
	"dpukv/verbs"
)

// Extension is what another store adds to a server: another way to execute requests, and memory of
// the server's device that clients reach.
type Extension interface {
	// Begin makes the memory, before there are workers and clients. It changes the facts to those
	// of the store.
	Begin(d verbs.Device, facts *kvs.Facts) error
	// Engine returns what executes a worker's requests.
	Engine(worker int, core *partition.Core) Engine
	// Admit answers what a client asks that has slots. leave ends what Admit has begun. It may be
	// called even if Admit fails; nil: nothing has begun.
	Admit(question []byte) (answer any, leave func() error, err error)
	// Close frees the memory. The clients have left, and the workers have ended.
	Close() error
}

// Engine executes a worker's requests as [partition.Core] does, on the worker's thread.
type Engine interface {
	Execute(ops []partition.Op, out []byte) []byte
	Stats() partition.Stats
}

func (s *Server) engine(worker int) Engine {
	core := s.table.Core(worker)
	if x := s.cfg.Extension; x != nil {
		return x.Engine(worker, core)
	}
	return core
}

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

// SessionExtension is the client's side of an [Extension] in one session.
type SessionExtension interface {
	// Ask returns what one more connection asks. Granted takes the server's answer.
	Ask() (any, error)
	Granted(answer []byte) error
	// Collect appends answers that have come in another way. A session calls it at each turn of
	// Poll, when the caller holds no answers. So it may submit requests.
	Collect(answers []kvs.Answer) ([]kvs.Answer, error)
}

// Device is the client's device, and PD its protection domain there.
func (r *Remote) Device() verbs.Device { return r.device }

// PD is the protection domain of the client's sessions.
func (r *Remote) PD() verbs.PD { return r.pd }

// OpenExtended is Open with an extension.
func (r *Remote) OpenExtended(opts kvs.SessionOptions, x SessionExtension) (kvs.Session, error) {
	if err := r.check(opts); err != nil {
		return nil, err
	}
	return openSession(r, opts, x)
}

// extend asks the extension of the server over the side channel of a connection that has slots.
func (s *session) extend(sd *sideChannel) error {
	if s.extension == nil {
		return nil
	}
	question, err := s.extension.Ask()
	if err != nil {
		return err
	}
	var answer json.RawMessage
	if err := exchange(sd.conn, kindExtend, question, kindExtended, &answer); err != nil {
		return err
	}
	return s.extension.Granted(answer)
}

// collectExtended takes the extension's answers, and notices a lost server behind them.
func (s *session) collectExtended(answers []kvs.Answer) ([]kvs.Answer, error) {
	if s.extension == nil {
		return answers, nil
	}
	if err := s.lost(); err != nil {
		return answers, err
	}
	had := len(answers)
	answers, err := s.extension.Collect(answers)
	if err != nil || len(answers) == had {
		return answers, err
	}
	return answers, s.overdue(answers[had].ReceivedNs)
}

// lost returns why a connection has ended, or nil.
func (s *session) lost() error {
	for _, sd := range s.sideChannels {
		if err := sd.err(); err != nil {
			return fmt.Errorf("%s: %w, with %d requests in flight", s.remote.addr, err, s.pending)
		}
	}
	return nil
}
