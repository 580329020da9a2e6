package mica

import (
	"testing"
	"time"

	"dpukv/internal/admission"
	"dpukv/internal/offheap"
	"dpukv/kvs/internal/simulation"
	"dpukv/kvs/partition"
)

// patientSteps is the number of steps, each a turn of every worker, within which an honest client
// must have its answer.
const patientSteps = 400

// longestPause is the longest time between two steps.
const longestPause = 500 * time.Millisecond

// sim is a whole server, without its threads and sockets, and its clients.
type sim struct {
	*simMachine
	server    *Server
	loops     []*simLoop
	listeners []*simListener
	pauses    []time.Time // of the doors
	handovers []*handover
	ticks     time.Time // when the clock is due
	honest    []*honest
	hostile   []*enemy

	round    uint64 // of the last statistics
	gathered time.Time
	full     int // the last step at which there was no room for a connection
	slowest  int // steps that an honest client had to wait
	answered int
}

// TestSimulation checks every statement of doc.go, "What a bad client can do", after every step.
func TestSimulation(t *testing.T) {
	worlds := 18
	if testing.Short() {
		worlds = 4
		t.Log("a short run: fewer worlds")
	}
	if raceEnabled {
		worlds = 1 // one goroutine at a time runs
	}
	slowest, answered := 0, 0
	simulation.Run(t, worlds, func(w *simulation.World) {
		s := newSim(w)
		for range 5000 {
			s.step()
		}
		s.finale()
		slowest, answered = max(slowest, s.slowest), answered+s.answered
	})
	t.Logf("%d honest batches answered, each within %d steps", answered, slowest)
}

func newSim(w *simulation.World) *sim {
	cfg := testConfig()
	cfg.Workers, cfg.PartitionsPerWorker = 1+w.IntN(3), 1+w.IntN(2)
	cfg.Access = partition.Access(w.IntN(2))
	cfg.Items, cfg.LogBytes, cfg.Pages = 10_000, 8<<20, offheap.Small
	cfg.MaxConnections = 8 + w.IntN(24)
	cfg.BufferBytes = int64(cfg.MaxConnections) * 64 << (10 + w.IntN(4))
	cfg.timeouts = timeouts{hello: 3 * time.Second, frame: 6 * time.Second, unread: 6 * time.Second, leave: time.Second}
	server, err := newServer(&cfg)
	if err != nil {
		w.Failf("start: %v", err)
	}
	s := &sim{server: server, simMachine: &simMachine{World: w, files: 1000, open: map[int]*tcp{}}}
	if w.OneIn(2) {
		s.files = cfg.MaxConnections/2 + w.IntN(cfg.MaxConnections)
	}
	server.statsCollector.apart = func(f func()) { f() }
	for i := range cfg.Workers {
		s.addWorker(newWorker(server, i, nil))
		server.ports = append(server.ports, 1+i)
	}
	if err := server.announce(); err != nil {
		w.Failf("start: %v", err)
	}
	w.ErrnoOneIn = []int{0, 30, 300}[w.IntN(3)] // not before: a server that can't start says so
	for i := range 1 + w.IntN(5) {
		s.honest = append(s.honest, &honest{sim: s, number: i})
	}
	for i := range w.IntN(2 * cfg.MaxConnections) {
		s.hostile = append(s.hostile, &enemy{sim: s, number: i})
	}
	return s
}

// addWorker puts a worker between a listener and a loop.
func (s *sim) addWorker(w *worker) {
	l := &simListener{simMachine: s.simMachine}
	loop := &simLoop{simMachine: s.simMachine, w: w, buf: make([]byte, readBytes)}
	loop.bell = &gnetConn{loop: loop, context: wakeup{}}
	w.listener, w.loop, w.system, w.mail.system = l, loop, loop, loop
	number := len(s.loops)
	h, err := w.newDoor(admission.Config{
		Spare: s.spare,
		Sleep: func(d time.Duration, _ <-chan struct{}) { s.pauses[number] = s.Now().Add(d) },
	})
	if err != nil {
		s.Failf("start: %v", err)
	}
	w.OnOpen(loop.bell)
	s.loops, s.listeners, s.handovers = append(s.loops, loop), append(s.listeners, l), append(s.handovers, h)
	s.pauses = append(s.pauses, time.Time{})
	s.server.workers = append(s.server.workers, w)
}

func (s *sim) owner(hash uint64) int {
	f := &s.server.facts
	return partition.PartitionOf(hash, f.Partitions) / (f.Partitions / f.Workers)
}

// step lets one client of each kind act, and gives every worker a turn.
func (s *sim) step() {
	s.steps = s.Step()
	if s.Pass(time.Duration(s.IntN(5)) * time.Millisecond); s.OneIn(40) {
		s.Pass(time.Duration(s.IntN(int(longestPause/time.Millisecond))) * time.Millisecond)
	}
	if s.OneIn(100) {
		s.others = s.IntN(1 + s.files/4)
	}
	s.honest[s.IntN(len(s.honest))].act()
	for range 1 + s.IntN(3) {
		if len(s.hostile) > 0 {
			s.hostile[s.IntN(len(s.hostile))].act()
		}
	}
	s.turn()
}

// turn moves what moves by itself.
func (s *sim) turn() {
	for _, h := range s.hostile {
		h.keep()
	}
	for _, h := range s.honest {
		h.keep()
	}
	for i, l := range s.listeners {
		for range 1 + s.IntN(3) {
			s.knock(i, l)
		}
	}
	select {
	case <-s.server.clock.hurry:
		s.ticks = s.Now()
	default:
	}
	if !s.ticks.IsZero() && !s.Now().Before(s.ticks) {
		s.ticks = time.Time{}
		if pause := s.server.tickAll(); pause > 0 {
			s.ticks = s.Now().Add(pause)
		}
	}
	for _, l := range s.loops {
		l.turn()
	}
	s.check()
}

// knock has a door accept, if somebody waits and it does not.
func (s *sim) knock(number int, l *simListener) {
	if len(l.queue) == 0 || s.Now().Before(s.pauses[number]) {
		return
	}
	if err := s.server.workers[number].door.Step(); err != nil {
		s.Failf("the door of worker %d ends: %v", number, err)
	}
	if b := &s.server.budget; b.open.Load() == b.connections {
		s.full = s.steps
	}
}

// served is the server's side of a connection; nil: it has none.
func (s *sim) served(c *tcp) *gnetConn {
	for _, l := range s.loops {
		for _, g := range l.conns {
			if g.s == c {
				return g
			}
		}
	}
	return nil
}

// check is what always holds.
func (s *sim) check() {
	for _, h := range s.hostile {
		h.check()
	}
	for _, h := range s.honest {
		h.check()
	}
	s.checkBudget()
	for i, w := range s.server.workers {
		s.checkWorker(w, s.loops[i], s.listeners[i])
	}
	g := &s.server.statsCollector
	if n := g.round - s.round; n > 0 {
		if since := s.Now().Sub(s.gathered); s.round > 0 && since < time.Duration(n)*statsInterval {
			s.Failf("%d rounds of statistics %v after the last", n, since)
		}
		s.round, s.gathered = g.round, s.Now()
	}
}

// checkBudget compares the budget's counts with the memory in use.
func (s *sim) checkBudget() {
	b := &s.server.budget
	held, borrowed, open := int64(0), int64(0), int64(0)
	for _, l := range s.loops {
		for _, g := range l.conns {
			p := g.context.(*peer)
			mine := int64(cap(p.buf) + p.unread)
			if mine != p.account.held {
				s.Failf("%d bytes are held by a connection, and %d are in its account", mine, p.account.held)
			}
			if !p.greeted && cap(p.buf) > minBufferBytes {
				s.Failf("a connection holds %d bytes before its hello", cap(p.buf))
			}
			if g.memory() > p.unread {
				s.Failf("gnet holds %d bytes of answers, and %d are counted", g.memory(), p.unread)
			}
			held, borrowed = held+mine, borrowed+max(0, mine-b.guarantee)
			if p.refusal == "" {
				open++
			}
		}
	}
	switch {
	case held > b.total:
		s.Failf("%d bytes are held, of %d", held, b.total)
	case held != b.held.Load() || held > b.most.Load():
		s.Failf("%d bytes are held, but %d and at most %d said", held, b.held.Load(), b.most.Load())
	case borrowed+b.common.Load() != b.total-b.connections*b.guarantee:
		s.Failf("%d bytes are borrowed and %d left, of %d", borrowed, b.common.Load(),
			b.total-b.connections*b.guarantee)
	case open != b.open.Load() || open > b.connections:
		s.Failf("%d connections are open, and %d counted, of %d", open, b.open.Load(), b.connections)
	}
}

func (s *sim) checkWorker(w *worker, l *simLoop, door *simListener) {
	for what, waiting := range map[string][]*peer{
		"ask": w.asking, "are blocked": w.blocked,
		"are parked": w.parked.all(),
	} {
		n := 0
		for _, p := range waiting {
			if !p.closed {
				n++
			}
		}
		if n > len(l.conns) {
			s.Failf("%d of %d connections %s", n, len(l.conns), what)
		}
	}
	if cap(w.out) > flushBytes+MaxFrameBytes {
		s.Failf("the worker gathers %d bytes of answers", cap(w.out))
	}
	long := 0
	for _, c := range l.conns {
		if c.long {
			long++
		}
	}
	if long > 2 { // one before the wakeup, and one when it is read
		s.Failf("%d connections that are not known for short turns had a long turn at once", long)
	}
	if door.waited++; len(door.queue) == 0 || len(s.open)+s.others >= s.files {
		door.waited = 0
	}
	if door.waited > patientSteps {
		s.Failf("connections wait for worker %d to accept one for %d steps", w.number, door.waited)
	}
}

// finale checks that nothing is held for the hostile clients after they have gone, and that a new
// client is served.
func (s *sim) finale() {
	s.Note("the hostile clients leave")
	for _, h := range s.hostile {
		if h.s != nil {
			h.s.hangUp(s.OneIn(2))
		}
	}
	s.hostile, s.ErrnoOneIn, s.others, s.files = nil, 0, 0, 1000
	late := &honest{sim: s, number: len(s.honest)}
	s.honest = append(s.honest, late)
	for range 2 * patientSteps {
		s.steps = s.Step()
		s.Pass(20 * time.Millisecond)
		late.act()
		s.turn()
	}
	if late.sequence == 0 {
		s.Failf("a new client was not served")
	}
	if open := s.server.budget.open.Load(); open > int64(len(s.honest)) {
		s.Failf("%d connections are open, of %d clients", open, len(s.honest))
	}
	s.close()
}

// close ends the workers. It checks that no descriptor stays open and that nobody rings any more.
func (s *sim) close() {
	for i, l := range s.loops {
		for len(l.conns) > 0 {
			l.conns[0].close()
		}
		s.handovers[i].drop()
		if err := l.w.mail.close(func() error { l.ended = true; return nil }); err != nil {
			s.Failf("close worker %d: %v", i, err)
		}
		l.w.mail.ring()
	}
	if len(s.open) > len(s.loops) { // the doors' spare ones

		s.Failf("%d descriptors were left open", len(s.open))
	}
	if err := s.server.items.Close(); err != nil {
		s.Failf("free the table: %v", err)
	}
}

// TestPutBack checks that the simulation finds each fault that once let a client hurt others.
func TestPutBack(t *testing.T) {
	simulation.PutBack(t, "^TestSimulation$", []simulation.Fault{
		{
			Name: "asks are taken without end",
			Edits: []simulation.Edit{{
				File: "peer.go", Old: "case p.round != 0:", New: "case false:",
			}},
			Want: "connections ask",
		},
		{
			Name: "answers to asks go past the backlog",
			Edits: []simulation.Edit{{
				File: "worker.go", Old: "p.round > w.latest.round || p.blocked():", New: "p.round > w.latest.round:",
			}},
			Want: "bytes are held",
		},
		{
			Name: "gatherings follow one another at once",
			Edits: []simulation.Edit{{
				File: "statscollector.go", Old: "early && !g.atOnce", New: "early && false",
			}},
			Want: "after the last",
		},
		{
			Name: "a hello may be as large as any frame",
			Edits: []simulation.Edit{{
				File: "peer.go", Old: "(h.kind != kindHello || h.bytes != helloBytes)", New: "h.kind != kindHello",
			}},
			Want: "before its hello",
		},
		{
			Name:  "a hello has no end of time",
			Edits: []simulation.Edit{{File: "peer.go", Old: "\tp.setDeadline(helloDue)\n", New: ""}},
			Want:  "has owed its hello",
		},
		{
			Name:  "a frame has no end of time",
			Edits: []simulation.Edit{{File: "peer.go", Old: "\t\tp.setDeadline(frameDue)\n", New: ""}},
			Want:  "has owed the end of its frame",
		},
		{
			Name:  "reading has no end of time",
			Edits: []simulation.Edit{{File: "peer.go", Old: "\tp.setDeadline(readingDue)\n", New: ""}},
			Want:  "has owed reading",
		},
		{
			Name: "the acceptor ends where no descriptor is left",
			Edits: []simulation.Edit{{
				File: "../../internal/admission/door.go",
				Old:  "if err != nil && lacksDescriptors(err) && d.drop() {",
				New:  "if lacksDescriptors(err) {\n\t\treturn err\n\t}\n\tif false {",
			}},
			Want: "the door of worker",
		},
		{
			Name: "connections are not limited",
			Edits: []simulation.Edit{{
				File: "budget.go", Old: "if b.open.Add(1) <= b.connections {", New: "if b.open.Add(1) > 0 {",
			}},
			Want: "connections are open",
		},
		{
			Name:  "buffers are not limited",
			Edits: []simulation.Edit{{File: "budget.go", Old: "if left < n {", New: "if false {"}},
			Want:  "bytes are held, of",
		},
		{
			Name: "a turn has no end",
			Edits: []simulation.Edit{{
				File: "peer.go", Old: "&& answered+len(p.w.out) <= int(which) {", New: "&& answered >= 0 {",
			}},
			Want: "a long turn goes on",
		},
		{
			Name: "long turns of many follow one another",
			Edits: []simulation.Edit{{
				File: "peer.go", Old: "case p.w.startsLong():", New: "case p.w.startsLong() || true:",
			}},
			Want: "long turn",
		},
		{
			Name: "who does not read is answered on",
			Edits: []simulation.Edit{{
				File: "peer.go", Old: "len(rest) >= headerBytes && !p.blocked() &&", New: "len(rest) >= headerBytes &&",
			}},
			Want: "bytes are held",
		},
		{
			Name: "gnet's pool is left with large rings",
			Edits: []simulation.Edit{{
				File: "peer.go", Old: "if len(w.out) <= ringBytes {", New: "if len(w.out) > 0 {",
			}},
			Want: "gnet's ring is made to hold",
		},
		{
			Name:  "a loop is rung after its end",
			Edits: []simulation.Edit{{File: "mailbox.go", Old: "\tm.shut = true\n", New: ""}},
			Want:  "a loop that has ended is rung",
		},
	})
}
