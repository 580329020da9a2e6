package sockets

import (
	"math"
	"time"

	"dpukv/kvs"
	"dpukv/verbs/idle"
)

// socketPoll is how a session polls sockets. Each turn is a system call.
var socketPoll = idle.Policy{Spin: math.MaxInt64, SlowTurns: true}

// pollSockets is Poll of a session that looks again instead of sleeping.
func (s *Session[C]) pollSockets(
	answers []kvs.Answer, wait time.Duration,
) ([]kvs.Answer, error) {
	had := len(answers)
	s.waits.Begin()
	for {
		var err error
		answers, err = s.look(answers)
		if err != nil || len(answers) > had || wait <= 0 {
			return answers, err
		}
		if s.waits.Due() && s.waits.Waited() >= wait {
			return answers, nil
		}
	}
}

// look takes the input that has come. A read of the only connection tells whether there is some,
// and saves the question to the kernel.
func (s *Session[C]) look(answers []kvs.Answer) ([]kvs.Answer, error) {
	if len(s.conns) == 1 && s.conns[0].oneReads() {
		answers, err := s.receive(s.conns[0], answers)
		if err != nil {
			return answers, err
		}
		return answers, s.keepBusy()
	}
	return s.await(answers, 0)
}

// oneReads reports whether one read of the connection tells all that the poller knows. A connection
// that is blocked waits for more than input. With TLS, a read that finds nothing is not cheap.
func (c *Conn[N]) oneReads() bool { return !c.blocked && c.secure == nil }

// Waits returns how Poll waits. Links are polled in any case.
func (s *Session[C]) Waits() string {
	switch {
	case s.shared.linked:
		return ""
	case s.polls:
		return kvs.WaitPoll
	}
	return kvs.WaitSleep
}
