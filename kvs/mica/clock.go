package mica

import (
	"sync/atomic"
	"time"
)

// urgency is how soon a worker wants a tick.
type urgency int32

const (
	never urgency = iota
	tick
	poll
)

// wanted is a worker's urgency. Its own thread sets it; the clock reads it.
type wanted struct{ atomic.Int32 }

func (w *wanted) set(how urgency) { w.Store(int32(how)) }

// raise reports whether how was more than was wanted already.
func (w *wanted) raise(how urgency) bool {
	if urgency(w.Load()) >= how {
		return false
	}
	w.set(how)
	return true
}

// clock sends ticks to the workers that want them. While none does, it sleeps.
type clock struct {
	hurry chan struct{}
}

func (c *clock) wake() {
	select {
	case c.hurry <- struct{}{}:
	default: // it wakes already
	}
}

// run ticks until the server is over.
func (s *Server) tick() {
	timer := time.NewTimer(tickEvery)
	defer timer.Stop()
	for {
		most := never
		for _, w := range s.workers {
			how := urgency(w.wanted.Load())
			if most = max(most, how); how != never {
				w.mail.post(func(l *letter) { l.tick = true })
			}
		}
		switch most {
		case never:
			timer.Stop()
		case tick:
			timer.Reset(tickEvery)
		case poll:
			timer.Reset(pollEvery)
		}
		select {
		case <-s.done:
			return
		case <-s.clock.hurry:
		case <-timer.C:
		}
	}
}
