package storehalf

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"dpukv/kvs/internal/halves"
	"dpukv/verbs/mqueue"
	"dpukv/verbs/sidechannel"
)

// The limits of the side channel.
const (
	askTimeout = 5 * time.Second // for the line
	// goingTime is the time for an engine that has ended to give its lanes back. One whose machine
	// is gone takes [sidechannel.GoneAfter], which is longer than another engine waits for an
	// answer.
	goingTime = 2 * time.Second
	maxAsk    = 1 << 10
)

// maxAsks is the number of side channels at once that have not asked yet, or ask for facts or
// counters. Those that wait for a lane have as many places as the engine has threads. Those of
// lanes need none.
const maxAsks = 8

func maxChannels(threads int) int { return threads + maxAsks }

// refusal is the line for a connection without a place.
func refusal(why error) []byte {
	text, _ := json.Marshal(halves.Refusal{Error: why.Error()}) // a string always marshals
	return append(text, '\n')
}

// receive serves a connection that has a place.
func (s *Server) receive(c net.Conn, leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		_ = c.Close()
		leave()
		return
	}
	s.open[c] = time.Now()
	s.serving.Go(func() {
		defer leave()
		s.serve(c, leave)
		_ = c.Close() // it may be closed
		s.mu.Lock()
		delete(s.open, c)
		s.mu.Unlock()
	})
}

// makeRoom ends the side channel that has not asked for the longest time.
func (s *Server) makeRoom() {
	s.mu.Lock()
	defer s.mu.Unlock()
	var oldest net.Conn
	for c, since := range s.open {
		if !since.IsZero() && (oldest == nil || since.Before(s.open[oldest])) {
			oldest = c
		}
	}
	if oldest != nil {
		_ = oldest.Close() // its goroutine reports nothing
	}
}

// hasAsked keeps a side channel from [Server.makeRoom].
func (s *Server) hasAsked(c net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[c] = time.Time{}
}

// endAll ends all side channels.
func (s *Server) endAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closing = true
	for c := range s.open {
		_ = c.Close()
	}
}

// serve answers what a connection asks for. Only that of a lane stays, and leaves its place.
func (s *Server) serve(c net.Conn, leave func()) {
	ch := sidechannel.New(c)
	ch.SetLimit(maxAsk)
	ch.SetTimeout(askTimeout)
	var ask halves.Ask
	err := ch.Receive(&ask)
	if err == nil {
		err = ask.Check()
	}
	if err == nil {
		s.hasAsked(c)
		switch ask.Want {
		case halves.Facts:
			err = ch.Send(s.facts)
		case halves.Stats:
			err = s.sendStats(ch)
		case halves.Lane:
			s.serveLane(ch, ask.Thread, leave)
		}
	}
	if err != nil {
		_ = ch.Send(halves.Refusal{Error: err.Error()}) // it may be gone
	}
}

func (s *Server) sendStats(ch *sidechannel.Channel) error {
	stats, err := s.Stats()
	if err != nil {
		return err
	}
	return ch.Send(stats)
}

// serveLane makes a lane for a thread of an engine, and stays until it ends.
func (s *Server) serveLane(ch *sidechannel.Channel, thread int, leave func()) {
	if err := s.await(thread); err != nil {
		_ = ch.Send(halves.Refusal{Error: err.Error()}) // it may be gone
		return
	}
	leave()
	defer s.giveBack(thread)
	if err := ch.Send(halves.Refusal{}); err != nil {
		return
	}
	ch.SetLimit(sidechannel.DefaultLimit)
	end, err := mqueue.Offer(ch, mqueue.Config{
		Shape: s.shape, Device: s.device, Answers: s.answers,
	})
	if err != nil {
		s.report(thread, err)
		return
	}
	l := &lane{End: end, thread: thread, over: make(chan struct{})}
	w := s.workers[thread/(s.threads/len(s.workers))]
	if w.do(func() { w.lanes = append(w.lanes, l) }) {
		<-l.over
		s.report(thread, l.why)
	}
	_ = end.Close() // its memory is the process's; an error changes nothing
}

// report tells why a thread has no lane any more, unless one of both halves has simply ended.
func (s *Server) report(thread int, why error) {
	if !errors.Is(why, io.EOF) && !errors.Is(why, net.ErrClosed) {
		fmt.Fprintf(stderr, "mica: thread %d of the engine: %v\n", thread, why)
	}
}

// stderr is os.Stderr. Tests have another one.
var stderr io.Writer = os.Stderr

// errTaken marks the refusal of a thread that another engine has.
var errTaken = fmt.Errorf("another engine has the lane: end that engine, or wait %v if its "+
	"machine is gone", sidechannel.GoneAfter)

// await takes the place of an engine's thread. It waits for an engine that is going.
func (s *Server) await(thread int) error {
	if s.awaiting.Add(1) > int64(s.threads) {
		s.awaiting.Add(-1)
		return errTaken
	}
	defer s.awaiting.Add(-1)
	for end := time.Now().Add(goingTime); ; time.Sleep(goingTime / 200) {
		err := s.claim(thread)
		if !errors.Is(err, errTaken) || time.Now().After(end) {
			return err
		}
	}
}

// claim takes the place, if it is free.
func (s *Server) claim(thread int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case thread < 0 || thread >= s.threads:
		return fmt.Errorf("thread: found %d, allowed: 0 to %d; start the engine with as many "+
			"threads as the store half was told (--engine-threads)", thread, s.threads-1)
	case s.closing:
		return net.ErrClosed
	case s.taken[thread]:
		return fmt.Errorf("thread %d: %w", thread, errTaken)
	}
	s.taken[thread] = true
	return nil
}

func (s *Server) giveBack(thread int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.taken, thread)
}
