package client

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"dpukv/internal/cpu"
	"dpukv/kvs"
	"dpukv/results"
)

// moved returns the traffic of the client's sockets and device so far. It covers the open sessions
// and the remote's own connections. The threads may be running meanwhile.
func (r *loadRun) moved() kvs.Moved {
	m := r.remote.Moved()
	for _, t := range r.pool.threads {
		one := t.moved()
		m.Add(&one)
	}
	return m
}

// clientWait returns how the threads' sessions waited for answers, as they tell it: "poll", or ""
// for the usual way. A session of another kind waits in its own way, whatever it was asked for.
func (r *loadRun) clientWait() string {
	wait := r.cfg.ClientWait
	for _, t := range r.pool.threads {
		if w, tells := t.session.(kvs.Waiter); !tells || w.Waits() != kvs.WaitPoll {
			wait = ""
		}
	}
	return wait
}

// moved returns the traffic of the thread's sessions. Any goroutine may call it.
func (t *thread) moved() kvs.Moved {
	t.swapping.Lock()
	defer t.swapping.Unlock()
	m := t.movedBefore
	if t.session != nil {
		one := t.session.Moved()
		m.Add(&one)
	}
	return m
}

// traffic returns the counters of the thread's sessions.
func (t *thread) traffic() kvs.Traffic {
	sum := t.session.Traffic()
	sum.Add(&t.trafficBefore)
	return sum
}

func (t *thread) open(remote kvs.Remote) error {
	t.remote = remote
	s, err := remote.Open(kvs.SessionOptions{
		Batch:       t.cfg.Batch,
		Window:      t.cfg.Window,
		Connections: t.cfg.Connections,
		KeepOrder:   t.cfg.Replays(),
		KeyBytes:    t.cfg.longestKey(), MaxValueBytes: t.cfg.largestValue(),
		Wait: t.cfg.ClientWait,
	})
	if err != nil {
		return t.sessionError(err)
	}
	t.swapping.Lock()
	t.session = s
	t.swapping.Unlock()
	facts := remote.Facts()
	if err := t.connectionsGate(s, &facts); err != nil {
		return err
	}
	t.ages = newAges(t.cfg.Timeout, cpu.NowNs())
	return nil
}

// reopen closes the session, which has nothing in flight, and opens another one.
func (t *thread) reopen() error {
	old := t.session
	traffic := old.Traffic()
	t.trafficBefore.Add(&traffic)
	t.swapping.Lock()
	moved := old.Moved()
	t.movedBefore.Add(&moved)
	t.session = nil
	t.swapping.Unlock()
	if err := old.Close(); err != nil {
		return t.sessionError(err)
	}
	err := t.open(t.remote)
	if errors.Is(err, unix.EADDRNOTAVAIL) {
		return fmt.Errorf("%w: the ports are used up, as a closed connection keeps its port for a "+
			"minute: reconnect after more operations", err)
	}
	return err
}

func (t *thread) close() error {
	if t.session == nil {
		return nil
	}
	return t.session.Close()
}

// reconnect opens the connections anew, once every request is answered. Meanwhile, operations
// become due and wait. The client does not lack CPU time then, so the wait is not its own delay.
func (l *loader) reconnect(nowNs int64) error {
	l.schedule.held = true
	if l.ages.total > 0 {
		if err := l.flush(); err != nil {
			return err
		}
		return l.receive(l.untilMark(nowNs, maxWait))
	}
	begin := l.now()
	if err := l.reopen(); err != nil {
		return err
	}
	l.sinceOpen = 0
	l.reconnects.count++
	l.reconnects.tookNs += l.now() - begin
	return nil
}

// reconnects counts how often a thread opened its connections anew, and the time that it took.
type reconnects struct {
	count  uint64
	tookNs int64
}

// room returns how many operations may leave in one turn: 0 if the connections are to be opened
// anew before. Fills count, too, and may leave beyond it.
func (l *loader) room() int {
	if l.reconnectEvery == 0 {
		return burst
	}
	return min(max(l.reconnectEvery-l.sinceOpen, 0), burst)
}

// moves fills in the client's traffic.
func (r *loadRun) moves(p *results.Point) {
	p.ClientMoved = results.MovedOf(r.whole)
	if r.warming == (kvs.Moved{}) {
		return // the run ended before
	}
	p.ClientMovedLoad = results.MovedOf(r.whole.Since(&r.warming))
	if begin, end := &r.sampler.begin, &r.sampler.end; end.nowNs > 0 {
		p.ClientMovedWindow = results.MovedOf(end.moved.Since(&begin.moved))
	}
}
