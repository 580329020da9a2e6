package mica

import (
	"sync/atomic"
	"time"
)

// urgency is how soon a worker needs a tick.
type urgency int32

const (
	never urgency = iota
	tick
	poll
)

// wanted is a worker's urgency. The worker's own thread sets it; the clock reads it.
type wanted struct{ atomic.Int32 }

func (w *wanted) set(how urgency) { w.Store(int32(how)) }

// raise reports whether how is more urgent than the value before.
func (w *wanted) raise(how urgency) bool {
	if urgency(w.Load()) >= how {
		return false
	}
	w.set(how)
	return true
}

// clock sends ticks to the workers that want them. It sleeps while no worker wants one.
type clock struct {
	hurry chan struct{}
}

func (c *clock) wake() {
	select {
	case c.hurry <- struct{}{}:
	default: // it is waking already
	}
}

// tick ticks until the server has ended.
func (s *Server) tick() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-s.Ended():
			return
		case <-s.clock.hurry:
		case <-timer.C:
		}
		if pause := s.tickAll(); pause > 0 {
			timer.Reset(pause)
		} else {
			timer.Stop()
		}
	}
}

// tickAll sends a tick to the workers that want one. It returns the time until the next call; 0:
// once the clock is woken.
func (s *Server) tickAll() time.Duration {
	most := never
	for _, w := range s.workers {
		how := urgency(w.wanted.Load())
		if most = max(most, how); how != never {
			w.mail.post(func(l *workerMail) { l.tick = true })
		}
	}
	switch most {
	case tick:
		return tickEvery
	case poll:
		return pollEvery
	}
	return 0
}
