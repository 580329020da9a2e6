package client

import (
	"time"

	"dpukv/internal/cpu"
)

const (
	// spinBelow is the wait that is spun away rather than slept: a sleep of less may well
	// end later than asked for.
	spinBelow = 50 * time.Microsecond
	// wakeEarly is what a sleep is cut by, for the same reason.
	wakeEarly = 20 * time.Microsecond
	// lateAfter is when a group of operations is counted as late.
	lateAfter = time.Millisecond
)

// schedule is an open loop's state in one thread.
type schedule struct {
	pacer      Pacer
	sent       uint64 // operations submitted so far
	intendedNs int64  // of the current group
	groupLeft  int    // operations of it not submitted yet
	unflushed  bool   // something may wait in a batch that is not full
	held       bool   // a full window has kept operations back since the last time that all were sent

	groups     uint64 // begun that were due in the measurement period
	lateGroups uint64 // of these, more than lateAfter late with room in the windows: the client's doing
	heldGroups uint64 // and late because the windows were full: the server's, or the path's
	maxLagNs   int64

	spinning bool // the last turn did nothing but look
	lastNs   int64
	spunNs   int64 // spent in such turns
}

// spun adds up the time of turns that did nothing, at the start of the next.
func (s *schedule) spun(nowNs int64) {
	if turn := nowNs - s.lastNs; s.spinning && turn < int64(cpu.Preempted) {
		s.spunNs += turn
	}
	s.spinning, s.lastNs = false, nowNs
}

// openStep sends what is due and takes the answers that are in. A batch leaves
// when it is full, or when nothing more is due.
func (l *loader) openStep(nowNs int64) error {
	s := &l.schedule
	before := s.sent
	due := s.pacer.Due(nowNs - l.period.startNs)
	blocked, err := l.sendDue(nowNs, due)
	if err != nil {
		return err
	}
	if s.unflushed && (blocked || s.sent == due) {
		if err := l.flush(); err != nil {
			return err
		}
		s.unflushed = false
	}
	wait := l.openWait(nowNs, due, blocked)
	if err := l.receive(wait); err != nil {
		return err
	}
	if len(l.answers) > 0 {
		s.unflushed = true // their windows have room for what Flush could not send
	}
	s.spinning = wait == 0 && s.sent == before && len(l.answers) == 0
	return nil
}

// sendDue submits the operations due. It is true if a window was full before the last one.
func (l *loader) sendDue(nowNs int64, due uint64) (blocked bool, err error) {
	s := &l.schedule
	for n := 0; s.sent < due && n < burst; n++ {
		if s.groupLeft == 0 {
			l.beginGroup(nowNs)
		}
		taken, err := l.sendNext(s.intendedNs)
		if err != nil {
			return false, err
		}
		if !taken {
			s.held = true
			return true, nil
		}
		s.sent++
		s.groupLeft--
		s.unflushed = true
	}
	if s.sent == due {
		s.held = false
	}
	return false, nil
}

// beginGroup works out the intended time of the next group, and how late it is.
func (l *loader) beginGroup(nowNs int64) {
	s := &l.schedule
	s.intendedNs = l.period.startNs + s.pacer.At(s.sent)
	s.groupLeft = s.pacer.Group
	if !l.period.holds(s.intendedNs) {
		return
	}
	s.groups++
	lag := nowNs - s.intendedNs
	s.maxLagNs = max(s.maxLagNs, lag)
	switch {
	case lag <= int64(lateAfter):
	case s.held:
		s.heldGroups++
	default:
		s.lateGroups++
	}
}

// openWait is how long to wait for answers before there is something to send.
func (l *loader) openWait(nowNs int64, due uint64, blocked bool) time.Duration {
	s := &l.schedule
	if blocked {
		return l.untilMark(nowNs, maxWait)
	}
	if s.sent < due {
		return 0
	}
	gap := time.Duration(l.period.startNs + s.pacer.At(s.sent) - nowNs)
	if gap < spinBelow {
		return 0
	}
	return l.untilMark(nowNs, min(gap-wakeEarly, maxWait))
}

// unsent is the number of operations due in the measurement period that were never sent.
func (l *loader) unsent() uint64 {
	if !l.cfg.OpenLoop() {
		return 0
	}
	p := &l.schedule.pacer
	dueBefore := func(ns int64) uint64 { return p.Due(ns - l.period.startNs - 1) }
	from := l.schedule.sent
	// This is rare. A Poisson process pays for looking back.
	if p.At(from) < l.period.fromNs-l.period.startNs {
		from = max(from, dueBefore(l.period.fromNs))
	}
	return max(dueBefore(l.period.toNs), from) - from
}
