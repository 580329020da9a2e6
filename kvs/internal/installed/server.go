package installed

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"dpukv/internal/program"
	"dpukv/kvs"
)

// A program must answer within this time, and is asked at this interval.
const (
	startTimeout = 10 * time.Second
	askEvery     = 10 * time.Millisecond
)

// Server is a running server of a foreign program.
type Server struct {
	addr    string
	facts   kvs.Facts
	process *program.Process // nil: not started by this process
	once    sync.Once
	closed  chan struct{}
}

// Start runs a kind's program and returns once it answers.
func Start(c *kvs.ServerConfig, k *Kind) (*Server, error) {
	host, r, err := check(c)
	if err != nil {
		return nil, err
	}
	path, err := k.Find()
	if err != nil {
		return nil, kvs.NotStarted{Err: err}
	}
	if !r.Any() && r.Count() == 1 {
		s, _, err := start(c, k, path, host, r.String())
		return s, err
	}
	for tries := 5; ; tries-- {
		port, err := freePort(host, r)
		if err != nil {
			return nil, err
		}
		s, taken, err := start(c, k, path, host, port)
		if err == nil || !taken || tries == 0 {
			return s, err
		}
	}
}

// start tries one port. It reports whether another program had taken that port.
func start(
	c *kvs.ServerConfig, k *Kind, path, host, port string,
) (s *Server, taken bool, err error) {
	args, err := k.Args(c, host, port)
	if err != nil {
		return nil, false, err
	}
	p, err := program.Start(path, args, c.CPUs, nil)
	if err != nil {
		return nil, false, kvs.NotStarted{Err: err}
	}
	s = &Server{addr: net.JoinHostPort(host, port), process: p, closed: make(chan struct{})}
	if err := s.await(k); err != nil {
		err = errors.Join(err, s.Close())
		return nil, inUse(p.Output()), kvs.NotStarted{Err: err}
	}
	s.facts.Items, s.facts.Command = c.Items, append([]string{path}, args...)
	return s, false, s.verifyUsed(c)
}

// await asks the program until it answers.
func (s *Server) await(k *Kind) error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	for {
		facts, err := k.look(ctx, &kvs.DialConfig{Addr: s.addr})
		if err == nil && facts.PID == s.process.PID() {
			s.facts = facts
			return nil
		}
		if err == nil {
			err = fmt.Errorf("the server at %s is process %d, not %d, which was started: address "+
				"already in use", s.addr, facts.PID, s.process.PID())
		}
		select {
		case <-s.process.Ended():
			return s.process.Reason()
		case <-ctx.Done():
			return fmt.Errorf("%s did not answer at %s within %v: %w", k.Program, s.addr,
				startTimeout, err)
		case <-time.After(askEvery):
		}
	}
}

// verifyUsed refuses a server that interpreted its arguments differently.
func (s *Server) verifyUsed(c *kvs.ServerConfig) error {
	if s.facts.Workers != c.Workers || s.facts.Mode != c.Mode {
		return errors.Join(fmt.Errorf("asked for %d threads and mode %s, found %d and mode %s",
			c.Workers, c.Mode, s.facts.Workers, s.facts.Mode), s.Close())
	}
	return nil
}

// Attach returns a Server for a program that runs already.
func Attach(c *kvs.DialConfig, k *Kind) (*Server, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	facts, err := k.look(ctx, c)
	if err != nil {
		return nil, err
	}
	return &Server{addr: c.Addr, facts: facts, closed: make(chan struct{})}, nil
}

// Addr is the address that clients dial.
func (s *Server) Addr() string { return s.addr }

// Facts returns the server's own facts, and its command line.
func (s *Server) Facts() kvs.Facts { return s.facts }

// Wait blocks until the server has ended. Before Close, and if another signal ended it, Wait
// returns the reason.
func (s *Server) Wait() error {
	if s.process == nil {
		<-s.closed
		return nil
	}
	<-s.process.Ended()
	select {
	case <-s.closed:
		if s.process.Stopped() {
			return nil
		}
	default:
	}
	return s.process.Reason()
}

// Close ends the server, unless it was attached.
func (s *Server) Close() (err error) {
	s.once.Do(func() {
		close(s.closed)
		if s.process != nil {
			err = s.process.Stop()
		}
	})
	return err
}
