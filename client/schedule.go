package client

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dpukv/internal/cpu"
	"dpukv/results"
)

const (
	// spinBelow is the longest wait that is spun away rather than slept. A shorter sleep may well
	// end late.
	spinBelow = 50 * time.Microsecond
	// wakeEarly shortens a sleep, for the same reason.
	wakeEarly = 20 * time.Microsecond
	// heldAfter is the delay by full windows from which a group of operations counts as held up.
	heldAfter = time.Millisecond
)

// schedule is an open loop's state in one thread.
type schedule struct {
	pacer      Pacer
	sent       uint64 // operations submitted so far
	intendedNs int64  // of the current group
	groupLeft  int    // operations of it not submitted yet
	unflushed  bool   // something may wait in a batch that is not full
	// a full window has kept operations back since the last time that all were sent
	held bool
	// freeNs is the last turn's time at which no full window kept operations back. Until then, a
	// delay is the client's doing. From then on, it is the server's, or the path's.
	freeNs int64

	groups     uint64                  // begun that were due in the measurement period
	lag        *hdrhistogram.Histogram // the client's part of their delay
	heldGroups uint64                  // of these, held up by full windows for more than heldAfter
	maxHeldNs  int64                   // the longest such delay

	spinning bool // the last turn did nothing but look
	lastNs   int64
	spunNs   int64 // spent in such turns
}

// spun adds up the time of turns without work, at the start of the next turn.
func (s *schedule) spun(nowNs int64) {
	if turn := nowNs - s.lastNs; s.spinning && turn < int64(cpu.Preempted) {
		s.spunNs += turn
	}
	s.spinning, s.lastNs = false, nowNs
}

// look notes that the client looks for operations due.
func (s *schedule) look(nowNs int64) {
	if !s.held {
		s.freeNs = nowNs
	}
}

// openStep sends the operations due and takes the answers that have arrived. A batch leaves when it
// is full, or when nothing more is due.
func (l *loader) openStep(nowNs int64) error {
	s := &l.schedule
	before := s.sent
	s.look(nowNs)
	due := s.pacer.Due(nowNs - l.period.startNs)
	blocked, err := l.sendDue(nowNs, due)
	if err != nil {
		return err
	}
	if l.computing.leftNs > 0 {
		s.unflushed = false
		return l.flush()
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

// sendDue submits the operations due, or a batch of them if a compute follows. It returns true if a
// full window kept some back.
func (l *loader) sendDue(nowNs int64, due uint64) (blocked bool, err error) {
	s := &l.schedule
	room := l.room()
	for n := 0; ; n++ {
		if roomy, err := l.sendFills(nowNs); err != nil || !roomy {
			s.held = true
			return true, err
		}
		if s.sent >= due {
			break
		}
		if n == room {
			s.held = s.held || room < burst
			return room < burst, nil
		}
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
		if l.computing.leftNs > 0 {
			break
		}
	}
	if s.sent == due {
		s.held = false
	}
	return false, nil
}

// sendRest sends the operations of the measurement period that became due since the last turn, as
// far as the windows allow. A thread that computes sends nothing.
func (l *loader) sendRest(nowNs int64) error {
	if l.computing.leftNs > 0 {
		return nil
	}
	l.schedule.look(nowNs)
	due := l.dueBefore(l.period.toNs)
	for l.schedule.sent < due && l.computing.leftNs == 0 {
		if blocked, err := l.sendDue(nowNs, due); blocked || err != nil {
			return err
		}
	}
	return nil
}

// beginGroup computes the intended time of the next group, and its delay.
func (l *loader) beginGroup(nowNs int64) {
	s := &l.schedule
	s.intendedNs = l.period.startNs + s.pacer.At(s.sent)
	if l.cutNs > 0 { // what was due before counts as unsent
		s.intendedNs = max(s.intendedNs, l.period.toNs)
	}
	s.groupLeft = s.pacer.Group
	if !l.period.holds(s.intendedNs) {
		return
	}
	s.groups++
	lag := max(s.freeNs-s.intendedNs, 0)
	results.Record(s.lag, lag)
	held := nowNs - s.intendedNs - lag
	if held > int64(heldAfter) {
		s.heldGroups++
	}
	s.maxHeldNs = max(s.maxHeldNs, held)
}

// openWait returns how long to wait for answers before the next send.
func (l *loader) openWait(nowNs int64, due uint64, blocked bool) time.Duration {
	s := &l.schedule
	if blocked {
		return l.untilMark(nowNs, maxWait)
	}
	if s.sent < due {
		return 0
	}
	next := min(l.period.startNs+s.pacer.At(s.sent), l.fills.dueNs())
	gap := time.Duration(next - nowNs)
	if gap < spinBelow {
		return 0
	}
	return l.untilMark(nowNs, min(gap-wakeEarly, maxWait))
}

// leavesUnsent reports whether the period may end before operations that were due in it are sent. A
// quota ends when all of its operations are answered.
func (l *loader) leavesUnsent() bool { return l.cfg.OpenLoop() && l.quota == nil }

// unsent returns the number of operations due in the measurement period and not sent by its end.
func (l *loader) unsent() uint64 {
	if !l.leavesUnsent() {
		return 0
	}
	from, to := l.unsentRange()
	return to - from
}

// unsentRange returns the numbers of the operations that [loader.unsent] counts.
func (l *loader) unsentRange() (from, to uint64) {
	from = l.schedule.sent
	if l.cutNs > 0 {
		from = l.cutSent
	}
	// This is rare. A Poisson process pays for looking back.
	if l.schedule.pacer.At(from) < l.period.fromNs-l.period.startNs {
		from = max(from, l.dueBefore(l.period.fromNs))
	}
	return from, max(l.dueBefore(l.period.toNs), from)
}

// dueBefore returns the number of operations due before a time on the monotonic clock.
func (l *loader) dueBefore(ns int64) uint64 {
	return l.schedule.pacer.Due(ns - l.period.startNs - 1)
}

// eachUnsent calls use with the unsent operations of each group.
func (l *loader) eachUnsent(use func(intendedNs int64, n uint64)) {
	if !l.leavesUnsent() {
		return
	}
	p := &l.schedule.pacer
	from, to := l.unsentRange()
	for from < to {
		n := min(uint64(p.Group)-from%uint64(p.Group), to-from)
		use(l.period.startNs+p.At(from), n)
		from += n
	}
}
