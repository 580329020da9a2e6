package mica

import (
	"net"
	"slices"
	"sync/atomic"

	"dpukv/internal/admission"
	"dpukv/internal/cpu"
	"dpukv/kvs"
	"dpukv/kvs/partition"
	"dpukv/verbs/idle"

	"github.com/panjf2000/gnet/v2"
)

// worker is one gnet event loop with its partitions and connections, and a door in front of it.
// Fields belong to the loop's thread unless marked otherwise.
type worker struct {
	gnet.BuiltinEventEngine
	server *Server
	number int
	cpus   []int
	system system

	backend backend
	// These are the backend's limits of a request's bytes, and of a connection's requests without
	// an answer.
	mostBytes, mostUnanswered int

	// These belong to the door's goroutine.
	listener net.Listener
	door     *admission.Door
	loop     enroller
	shut     chan struct{} // closed when the door has ended
	refusing atomic.Int64  // kept refused connections; any thread may use it
	refused  atomic.Uint64

	mail   mailbox // any thread may use it
	wanted wanted  // any thread may use it
	gnet   *loop
	ended  chan struct{}
	ready  bool  // the loop has the wakeup
	pinErr error // read only when ready

	peers   []*peer
	parked  peerQueue // unserved input; the first has the next turn
	blocked []*peer   // gnet holds answers of these
	asking  []*peer
	ticked  int64
	// shorts counts the short turns since the last turn that could be long. That turn began at
	// beganNs. hadLong reports whether it began since the wakeup was read. The next one may begin
	// at longAgainNs.
	shorts               int
	hadLong              bool
	beganNs, longAgainNs int64

	ops     []partition.Op // of the current frame
	out     []byte         // answers of the current turn
	pieces  [][]byte       // of out
	buffers buffers

	idle  *idle.Idle // of a worker that polls; nil: it sleeps in the loop
	found bool       // input since the wakeup was read, of such a worker

	unwritten unwritten
	counters  kvs.WorkerStats
	latest    *statsRound
}

func newWorker(s *Server, number int, cpus []int) *worker {
	w := &worker{
		server: s, number: number, cpus: cpus,
		ended: make(chan struct{}), shut: make(chan struct{}),
		ops: make([]partition.Op, MaxBatch),
		out: make([]byte, 0, flushBytes+MaxFrameBytes),
	}
	if s.poll {
		w.idle = idle.New(polling, true) // the loop locks its thread
	}
	w.backend = s.items.backend(number, len(cpus) > 0)
	w.mostBytes, w.mostUnanswered = w.backend.limits()
	return w
}

// wakeup is the context of the connection that wakes the worker.
type wakeup struct{}

// OnOpen is called for the wakeup first: then it pins the thread.
func (w *worker) OnOpen(c gnet.Conn) ([]byte, gnet.Action) {
	switch p := c.Context().(type) {
	case wakeup:
		w.ready = true
		if len(w.cpus) > 0 {
			w.pinErr = cpu.PinThread(w.cpus[w.number%len(w.cpus)])
		}
		if w.idle != nil {
			ShortSleeps()
		}
		w.backend.begin(w)
	case *peer:
		p.open(c)
	}
	return nil, gnet.None
}

// OnTraffic is called when gnet has read from the wakeup or a client.
func (w *worker) OnTraffic(c gnet.Conn) gnet.Action {
	if p, ok := c.Context().(*peer); ok {
		w.found = true
		p.traffic()
		return gnet.None
	}
	_, _ = c.Next(-1) // wakeup bytes
	w.read()
	w.resume()
	w.backend.serve(w)
	w.rest()
	return gnet.None
}

// OnClose is called for the wakeup when the loop ends: nothing else closes it.
func (w *worker) OnClose(c gnet.Conn, _ error) gnet.Action {
	if p, ok := c.Context().(*peer); ok {
		p.close()
	} else {
		close(w.ended)
	}
	return gnet.None
}

// rest ends a turn of a worker that polls. Turns that found nothing count as spun.
func (w *worker) rest() {
	switch {
	case w.idle == nil: // it sleeps in the loop
	case w.found || w.parked.len() > 0:
		w.found = false
		w.idle.Reset()
	default:
		_ = w.idle.Rest(noYield{})
	}
}

// park makes a connection wait for its next turn. The loop reads the wakeup in turn with all
// connections, so the others get their turns first.
func (w *worker) park(p *peer) {
	if p.parked {
		return
	}
	p.parked = true
	w.parked.add(p)
	w.mail.ring()
}

// startsLong reports whether a turn that may be long can begin now, ahead of the line. One can
// begin each time that the wakeup is read, so that all active connections are served in between.
// After a long turn, as much time must pass as that turn took. So many long turns leave the short
// ones half of the time.
func (w *worker) startsLong() bool {
	if w.hadLong || w.parked.len() > 0 {
		return false
	}
	w.beganNs = w.system.now()
	return w.shorts == 0 || w.beganNs >= w.longAgainNs
}

// endedLong records such a turn.
func (w *worker) endedLong() {
	end := w.system.now()
	w.hadLong, w.shorts, w.longAgainNs = true, 0, end+(end-w.beganNs)
	w.mail.ring()
}

// resume gives the next turn to the first waiting connection.
func (w *worker) resume() {
	w.hadLong = false
	w.beganNs = w.system.now()
	for w.parked.len() > 0 && !w.hadLong && (w.shorts == 0 || w.beganNs >= w.longAgainNs) {
		p := w.parked.remove()
		p.parked = false
		if !p.closed && !p.leaving && !p.blocked() {
			p.serve(p.buf[p.from:], wholeTurn)
			w.endedLong()
		}
	}
	if w.parked.len() > 0 {
		w.mail.ring()
	}
}

// read reads the mailbox.
func (w *worker) read() {
	l := w.mail.open()
	if l.told != nil {
		w.latest = l.told
		w.answerAsks()
	}
	if l.report > 0 {
		w.server.statsCollector.report(w.number, w.snapshot())
	}
	if l.tick {
		w.tick()
	}
}

// tick does all work that waits for the clock. It sets how soon the next tick is needed.
func (w *worker) tick() {
	now := w.system.now()
	if len(w.asking) > 0 {
		w.server.statsCollector.due(now)
		w.answerAsks()
	}
	w.drain()
	again := w.backend.tick(w)
	if now-w.ticked >= int64(tickEvery) {
		w.ticked = now
		for i := len(w.peers) - 1; i >= 0; i-- { // an ended peer is replaced by the last one
			if p := w.peers[i]; p.due != nothingDue && now >= p.deadline {
				p.timedOut()
			}
		}
	}
	w.wanted.set(w.urgency(again))
}

// urgency is how soon the next tick is needed. again: the backend needs one.
func (w *worker) urgency(again bool) urgency {
	if len(w.asking)+len(w.blocked) > 0 {
		return poll
	}
	if again || slices.ContainsFunc(w.peers, func(p *peer) bool { return p.due != nothingDue }) {
		return tick
	}
	return never
}

// drain looks after connections with unread answers.
func (w *worker) drain() {
	later := w.blocked[:0]
	for _, p := range w.blocked {
		if !p.closed {
			p.drain()
		}
		if p.listed = p.blocked(); p.listed {
			later = append(later, p)
		}
	}
	clear(w.blocked[len(later):])
	w.blocked = later
}

// want requests a tick, at least that soon.
func (w *worker) want(how urgency) {
	if w.wanted.raise(how) {
		w.server.clock.wake()
	}
}

// answerAsks answers the asks that the latest round is new enough for.
func (w *worker) answerAsks() {
	later := w.asking[:0]
	for _, p := range w.asking {
		switch {
		case p.closed || p.leaving:
		case w.latest == nil || p.round > w.latest.round || p.blocked():
			later = append(later, p)
		case w.latest.err != nil:
			p.round = 0
			p.endAfterAnswers(w.latest.err.Error())
		default:
			p.round = 0
			w.out = append(w.out, control(kindStats, p.sequence, w.latest.text)...)
			if p.flush() {
				p.finishTurn(false)
			}
		}
	}
	clear(w.asking[len(later):])
	w.asking = later
}

func (w *worker) snapshot() kvs.WorkerStats {
	s := w.counters
	s.CPUNs = cpu.ThreadNs()
	if w.idle != nil {
		s.SpunNs = w.idle.SpunNs()
	}
	door := w.door.Counts()
	s.Refused, s.AcceptErrors = door.Refused+w.refused.Load(), door.Failed
	w.backend.count(&s)
	return s
}
