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
// and the remote's own connections. The workers may be running meanwhile.
func (r *runner) moved() kvs.Moved {
	m := r.remote.Moved()
	for _, w := range r.pool.workers {
		one := w.moved()
		m.Add(&one)
	}
	return m
}

// moved returns the traffic of the worker's sessions. Any goroutine may call it.
func (w *worker) moved() kvs.Moved {
	w.swapping.Lock()
	defer w.swapping.Unlock()
	m := w.movedBefore
	if w.session != nil {
		one := w.session.Moved()
		m.Add(&one)
	}
	return m
}

// traffic returns the counters of the worker's sessions.
func (w *worker) traffic() kvs.Traffic {
	t := w.session.Traffic()
	t.Add(&w.trafficBefore)
	return t
}

func (w *worker) open(remote kvs.Remote) error {
	w.remote = remote
	s, err := remote.Open(kvs.SessionOptions{
		Batch:       w.cfg.Batch,
		Window:      w.cfg.Window,
		Connections: w.cfg.Connections,
		KeyBytes:    w.cfg.KeyBytes, MaxValueBytes: w.values.MaxBytes(),
		TTL: w.cfg.TTL,
	})
	if err != nil {
		return w.sessionError(err)
	}
	w.swapping.Lock()
	w.session = s
	w.swapping.Unlock()
	facts := remote.Facts()
	if err := w.connectionsGate(s, &facts); err != nil {
		return err
	}
	w.ages = newAges(w.cfg.Timeout, cpu.NowNs())
	return nil
}

// reopen closes the session, which has nothing in flight, and opens another one.
func (w *worker) reopen() error {
	old := w.session
	traffic := old.Traffic()
	w.trafficBefore.Add(&traffic)
	w.swapping.Lock()
	moved := old.Moved()
	w.movedBefore.Add(&moved)
	w.session = nil
	w.swapping.Unlock()
	if err := old.Close(); err != nil {
		return w.sessionError(err)
	}
	err := w.open(w.remote)
	if errors.Is(err, unix.EADDRNOTAVAIL) {
		return fmt.Errorf("%w: the ports are used up, as a closed connection keeps its port for a "+
			"minute: reconnect after more operations", err)
	}
	return err
}

func (w *worker) close() error {
	if w.session == nil {
		return nil
	}
	return w.session.Close()
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
// anew before.
func (l *loader) room() int {
	if l.reconnectEvery == 0 {
		return burst
	}
	return min(l.reconnectEvery-l.sinceOpen, burst)
}

// moves fills in the client's traffic.
func (r *runner) moves(p *results.Point) {
	p.ClientMoved = results.MovedOf(r.whole)
	if r.warming == (kvs.Moved{}) {
		return // the run ended before
	}
	p.ClientMovedLoad = results.MovedOf(r.whole.Since(&r.warming))
	if begin, end := &r.sampler.begin, &r.sampler.end; end.nowNs > 0 {
		p.ClientMovedWindow = results.MovedOf(end.moved.Since(&begin.moved))
	}
}
