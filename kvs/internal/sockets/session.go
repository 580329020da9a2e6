package sockets

import (
	"errors"
	"fmt"
	"time"

	"dpukv/internal/packets"
	"dpukv/internal/rawsocket"
	"dpukv/kvs"
	"dpukv/verbs/idle"

	"golang.org/x/sys/unix"
)

// Member is a connection of a session: a [Conn] with a protocol.
type Member interface {
	Room() bool
	Begun() bool
	Open() bool
	Spared() bool
	Push(nowNs int64) error
	Close() error
	packets() packets.Counts
	poll() error
	oneReads() bool
	Wait(time.Duration) error

	// Send completes the current batch and puts it in flight, with Launch. The window has room.
	Send() error
	// Receive reads once, and appends the answers of complete batches.
	Receive(answers []kvs.Answer) ([]kvs.Answer, error)

	Join(number int, shared *Shared, company *groupLoad) error
}

// Shared is the state that a session's connections share.
type Shared struct {
	pending int // submitted requests without an answer
	traffic kvs.Traffic
	poller  *rawsocket.Poller
	turn    uint64 // one per poll
	held    []int  // numbers of the connections that hold batches back
	linked  bool   // the connections are links
}

// Session holds one client thread's connections. It is a [kvs.Session] without Submit. It belongs
// to one goroutine.
type Session[C Member] struct {
	shared Shared
	conns  []C
	polls  bool         // over sockets
	waits  idle.Bounded // for links, and for sockets that it polls
}

// Init checks the sizes, and prepares for connections. maxBatch limits the operations of a batch.
func (s *Session[C]) Init(opts kvs.SessionOptions, maxBatch int) (err error) {
	if opts.Batch < 1 || opts.Batch > maxBatch {
		return fmt.Errorf("batch: found %d operations, allowed: 1 to %d", opts.Batch, maxBatch)
	}
	if opts.Window < 1 || opts.Connections < 1 {
		return fmt.Errorf("window: found %d batches on %d connections, allowed: at least one of "+
			"each",
			opts.Window, opts.Connections)
	}
	if s.polls, err = kvs.Polls(opts.Wait); err != nil {
		return fmt.Errorf("client_%w", err)
	}
	s.waits = idle.NewBounded(linkWait)
	if s.polls {
		s.waits = idle.NewBounded(socketPoll)
	}
	s.shared.poller, err = rawsocket.NewPoller()
	return err
}

// Add adds a dialled connection to a group, which must stay at its address. Close closes the
// connection.
func (s *Session[C]) Add(c C, l *Group[C]) error {
	l.add(c)
	s.conns = append(s.conns, c)
	return c.Join(len(s.conns)-1, &s.shared, &l.load)
}

// Turn changes with each Poll.
func (s *Session[C]) Turn() uint64 { return s.shared.turn }

// Submitted counts one request.
func (s *Session[C]) Submitted() { s.shared.pending++ }

// Flush sends incomplete batches, and those held back.
func (s *Session[C]) Flush() error {
	for _, c := range s.conns {
		if c.Begun() && c.Open() {
			if err := c.Send(); err != nil {
				return reason(c, err)
			}
		}
	}
	return s.release()
}

// release writes the batches that connections hold back.
func (s *Session[C]) release() error {
	for _, number := range s.shared.held {
		if err := s.conns[number].Push(kvs.NowNs()); err != nil {
			return reason(s.conns[number], err)
		}
	}
	s.shared.held = s.shared.held[:0]
	return nil
}

// Poll writes the batches held back, waits, reads, and parses.
func (s *Session[C]) Poll(answers []kvs.Answer, wait time.Duration) ([]kvs.Answer, error) {
	if err := s.release(); err != nil {
		return answers, err
	}
	s.shared.turn++
	if s.shared.linked {
		return s.pollLinks(answers, wait)
	}
	if s.polls {
		return s.pollSockets(answers, wait)
	}
	return s.await(answers, wait)
}

// await waits for input of any socket, and takes it.
func (s *Session[C]) await(answers []kvs.Answer, wait time.Duration) ([]kvs.Answer, error) {
	events, err := s.shared.poller.Wait(wait)
	if err != nil {
		return answers, err
	}
	for _, e := range events {
		c := s.conns[e.Fd]
		if e.Events&unix.EPOLLOUT != 0 {
			if err := c.Push(kvs.NowNs()); err != nil {
				return answers, reason(c, err)
			}
		}
		if e.Events&^unix.EPOLLOUT != 0 {
			if answers, err = s.receive(c, answers); err != nil {
				return answers, err
			}
		}
	}
	return answers, s.keepBusy()
}

// keepBusy writes batches held back because of connections that the server has answered since.
func (s *Session[C]) keepBusy() error {
	held := s.shared.held[:0]
	for _, number := range s.shared.held {
		if c := s.conns[number]; c.Spared() {
			held = append(held, number)
		} else if err := c.Push(kvs.NowNs()); err != nil {
			return reason(c, err)
		}
	}
	s.shared.held = held
	return nil
}

// receive reads the input, and sends the batch that may have waited for it.
func (s *Session[C]) receive(c C, answers []kvs.Answer) ([]kvs.Answer, error) {
	answers, err := c.Receive(answers)
	if err != nil || c.Room() || !c.Open() {
		return answers, err
	}
	return answers, reason(c, c.Send())
}

// reason returns err, preceded by the server's failure message if that explains why a send failed.
func reason[C Member](c C, err error) error {
	if !errors.Is(err, unix.EPIPE) && !errors.Is(err, unix.ECONNRESET) {
		return err
	}
	if _, said := c.Receive(nil); said != nil {
		return fmt.Errorf("%w (%w)", said, err)
	}
	return err
}

// InFlight counts batched and sent requests.
func (s *Session[C]) InFlight() int { return s.shared.pending }

// Traffic returns the counters since the session was opened.
func (s *Session[C]) Traffic() kvs.Traffic {
	t := s.shared.traffic
	t.SpunNs = s.waits.SpunNs()
	return t
}

// Close closes every connection.
func (s *Session[C]) Close() error {
	var errs []error
	for _, c := range s.conns {
		errs = append(errs, c.Close())
	}
	s.conns = nil
	if s.shared.poller != nil {
		errs = append(errs, s.shared.poller.Close())
	}
	return errors.Join(errs...)
}
