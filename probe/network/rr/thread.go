package rr

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"dpukv/internal/cpu"

	"golang.org/x/sys/unix"
)

const (
	// spinBelow is the longest wait that is spun away rather than slept. A shorter sleep may well
	// end late.
	spinBelow = 50 * time.Microsecond
	// wakeEarly shortens a sleep, for the same reason.
	wakeEarly = 20 * time.Microsecond
	// answerLimit is how long the client waits for an answer before the point fails.
	answerLimit = 10 * time.Second
)

// errStopped is the error of a thread that ended because of another cause than its own.
var errStopped = errors.New("stopped")

// system is the part of the system that a thread uses. The simulation replaces it.
type system interface {
	now() int64
	// send and receive move what they can of the message in flight. The errno is 0 if n bytes
	// moved.
	send(c *conn) (n int, errno unix.Errno)
	receive(c *conn) (n int, errno unix.Errno)
	// block looks for room to send, or no longer.
	block(c *conn, blocked bool) error
	// wait returns events with the connections' seats, after d at the latest. They are valid until
	// the next call.
	wait(d time.Duration) ([]unix.EpollEvent, error)
}

// thread is one thread of the client.
type thread struct {
	system   system
	conns    []*conn
	free     []*conn // a ring of the connections without a message, the oldest first
	freeAt   int     // in free
	freeN    int
	arrivals *arrivals // nil: closed loop
	record   *record
	stop     *atomic.Bool
	toNs     int64 // of the measurement period
	graceNs  int64 // until when answers may come

	checkNs int64 // when to look for overdue answers
	spinNs  int64 // spent in turns without work
}

// run loads the server until the period is over and all answers came, or the grace is over.
func (t *thread) run() error {
	for _, c := range t.conns {
		t.release(c)
	}
	nowNs := t.system.now()
	for !t.over(nowNs) {
		if t.stop.Load() {
			return errStopped
		}
		if err := t.sendDue(nowNs); err != nil {
			return err
		}
		wait := t.waitTime()
		active, err := t.exchange(wait)
		if err != nil {
			return err
		}
		before := nowNs
		nowNs = t.system.now()
		if turn := nowNs - before; wait == 0 && !active && turn < int64(cpu.Preempted) {
			t.spinNs += turn
		}
		if err := t.overdue(nowNs); err != nil {
			return err
		}
	}
	t.conclude(nowNs)
	return nil
}

func (t *thread) over(nowNs int64) bool {
	if nowNs < t.toNs {
		return false
	}
	return nowNs >= t.graceNs || t.freeN == len(t.conns) && !t.waiting(nowNs)
}

// waiting reports whether a message of the period waits for a connection.
func (t *thread) waiting(nowNs int64) bool {
	return t.arrivals != nil && t.arrivals.due() < min(nowNs+1, t.toNs)
}

// sendDue sends the messages due, as far as there are free connections.
func (t *thread) sendDue(nowNs int64) error {
	for t.freeN > 0 {
		intendedNs := nowNs
		if t.arrivals != nil {
			if !t.waiting(nowNs) {
				return nil
			}
			intendedNs = t.arrivals.due()
			t.arrivals.advance()
		} else if nowNs >= t.toNs {
			return nil
		}
		c := t.nextConn()
		c.begin(intendedNs)
		c.sentNs = t.system.now()
		t.record.send(c)
		if err := t.push(c); err != nil {
			return err
		}
	}
	return nil
}

func (t *thread) nextConn() *conn {
	c := t.free[t.freeAt]
	t.freeAt = (t.freeAt + 1) % len(t.free)
	t.freeN--
	return c
}

func (t *thread) release(c *conn) {
	c.busy = false
	t.free[(t.freeAt+t.freeN)%len(t.free)] = c
	t.freeN++
}

// waitTime returns how long nothing is due; 0: spin.
func (t *thread) waitTime() time.Duration {
	if t.arrivals == nil || t.freeN == 0 {
		return poll
	}
	nowNs := t.system.now()
	until := time.Duration(min(t.arrivals.due(), t.toNs) - nowNs)
	switch {
	case nowNs >= t.toNs || until > poll:
		return poll
	case until <= spinBelow:
		return 0
	}
	return until - wakeEarly
}

// exchange waits, and serves each connection that is ready.
func (t *thread) exchange(wait time.Duration) (active bool, err error) {
	events, err := t.system.wait(wait)
	if err != nil {
		return false, err
	}
	for i := range events {
		if err := t.serve(t.conns[events[i].Fd]); err != nil {
			return false, err
		}
	}
	return len(events) > 0, nil
}

func (t *thread) serve(c *conn) error {
	if c.busy && c.sent < len(c.out) {
		if err := t.push(c); err != nil {
			return err
		}
	}
	if c.busy && c.got == len(c.in) {
		return fmt.Errorf("connection %d: found an answer before its message, allowed: after it",
			c.number)
	}
	n, errno := t.system.receive(c)
	switch {
	case errno == unix.EAGAIN || errno == unix.EINTR:
		return nil
	case errno != 0:
		return fmt.Errorf("connection %d: receive: %w", c.number, errno)
	case n == 0:
		return fmt.Errorf("connection %d: the server closed it in message %d", c.number, c.message)
	case !c.busy:
		return fmt.Errorf("connection %d: found %d bytes that answer nothing, allowed: none",
			c.number, n)
	}
	if c.got += n; c.got < len(c.in) || c.sent < len(c.out) {
		return nil
	}
	return t.answered(c)
}

// answered takes a whole answer. In a closed loop, the next message leaves at once.
func (t *thread) answered(c *conn) error {
	nowNs := t.system.now()
	t.record.answer(c, nowNs)
	c.freeNs = nowNs
	t.release(c)
	if err := c.check(); err != nil || t.arrivals != nil {
		return err
	}
	return t.sendDue(nowNs)
}

// push writes what the kernel takes of the message in flight.
func (t *thread) push(c *conn) error {
	n, errno := t.system.send(c)
	if errno != 0 && errno != unix.EAGAIN && errno != unix.EINTR {
		return fmt.Errorf("connection %d: send: %w", c.number, errno)
	}
	c.sent += n
	blocked := c.sent < len(c.out)
	if blocked == c.blocked {
		return nil
	}
	c.blocked = blocked
	return t.system.block(c, blocked)
}

// overdue fails the point if an answer does not come at all.
func (t *thread) overdue(nowNs int64) error {
	if nowNs < t.checkNs {
		return nil
	}
	t.checkNs = nowNs + int64(tick)
	for _, c := range t.conns {
		if c.busy && nowNs-c.sentNs > int64(answerLimit) {
			return fmt.Errorf("connection %d: message %d: found no answer within %v; check that "+
				"the server runs and can be reached", c.number, c.message, answerLimit)
		}
	}
	return nil
}

// conclude counts the messages without an answer.
func (t *thread) conclude(nowNs int64) {
	for _, c := range t.conns {
		if c.busy {
			t.record.missing(c.intendedNs, nowNs, true)
		}
	}
	for t.waiting(nowNs) {
		t.record.missing(t.arrivals.due(), nowNs, false)
		t.arrivals.advance()
	}
}
