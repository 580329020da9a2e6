package herd

import (
	"fmt"
	"io"
	"net"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"dpukv/kvs/internal/simulation"
	"dpukv/kvs/partition"
	"dpukv/verbs"
	"dpukv/verbs/nasty"
	"dpukv/verbs/provider"
)

const (
	simWorlds = 60
	simSteps  = 2000 // of a world with hostile clients
	// answerSteps is the number of steps within which an honest client must have its answer,
	// repetitions included.
	answerSteps = 600
)

// sim is one world: a server and its clients.
type sim struct {
	world    *simulation.World
	server   *Server
	device   *simDevice
	model    nasty.Config // of the clients' devices
	busy     []*simLink   // with WRITEs on their way
	listener *simListener
	files    *simFiles

	steps, clients, answers int
	queues                  uint32
	conns                   []*simConn
	byQPN                   map[uint32]*simLink
	honest                  []*simClient
	hostile                 []*hostile
	quiet                   bool // no hostile clients any more
}

// TestSimulation drives a whole server, with honest and hostile clients around it and system calls
// that fail.
func TestSimulation(t *testing.T) {
	worlds := simWorlds
	if testing.Short() {
		worlds = 6
		t.Log("a short run: fewer worlds")
	}
	simulation.Run(t, worlds, func(w *simulation.World) {
		w.Bubble(func() {
			s := newSim(w)
			defer s.close()
			s.run()
		})
	})
}

// TestSimulationRepeats: one seed is one world.
func TestSimulationRepeats(t *testing.T) {
	var seen [2][]string
	for i := range seen {
		simulation.Run(t, 3, func(w *simulation.World) {
			w.Bubble(func() {
				s := newSim(w)
				defer s.close()
				s.run()
				seen[i] = append(seen[i],
					fmt.Sprintf("%d clients, %d answers, %d queue pairs, %d calls that made something, until %v",
						s.clients, s.answers, s.queues, s.device.next, time.Now()))
			})
		})
	}
	if !slices.Equal(seen[0], seen[1]) {
		t.Errorf("first %q, then %q", seen[0], seen[1])
	}
	t.Log(seen[0])
}

func newSim(w *simulation.World) *sim {
	s := &sim{
		world: w, device: newSimDevice(w), byQPN: map[uint32]*simLink{}, queues: 1 << 16,
		files: &simFiles{limit: 8 + w.IntN(10)},
	}
	w.ErrnoOneIn = 40
	s.listener = &simListener{world: w, files: s.files}
	s.device.maxInline = []int{0, 16, 64}[w.IntN(3)]
	s.device.late = w.OneIn(2)
	i := w.IntN(3)
	s.model = nasty.Config{Model: []nasty.Model{nasty.Ordered, nasty.LastWord, nasty.PCIe}[i], Seed: w.Uint64()}
	s.device.promised = []verbs.Placement{verbs.LastWord, verbs.LastWord, verbs.Lines}[i]
	s.device.deliver = func(qpn uint32, word answer, value []byte) {
		if l := s.byQPN[qpn]; l != nil && l.client.honest {
			l.answered(word, value)
		}
	}
	server, err := Start(Config{
		Listen: "sim:1", Device: "sim", Workers: 2, Mode: partition.Store, Items: 1 << 13, LogBytes: 4 << 20,
		Hash: DefaultHash, Window: simSlots, MaxClients: 7, MaxConnections: 10, SlotBytes: 64 << w.IntN(2),
		Faithful: w.OneIn(4), manual: true,
		open:   func(string, *provider.Options) (verbs.Device, error) { return s.device, nil },
		listen: func(string) (net.Listener, error) { return s.listener, nil },
		spare: func() (io.Closer, error) {
			if !s.files.acquire() {
				return nil, syscall.EMFILE
			}
			return simSpare{s.files}, nil
		},
	})
	if err != nil {
		w.Failf("%v", err)
	}
	s.server = server
	s.device.meanwhile = s.meanwhile
	return s
}

// close ends the server, whatever it was doing.
func (s *sim) close() {
	for _, w := range s.server.workers {
		close(w.ended) // nobody steps them any more
	}
	for _, c := range s.conns {
		c.hangUp()
	}
	s.drain()
	if err := s.server.Close(); err != nil && s.device.abandoned == 0 {
		s.world.TB().Error(err)
	}
}

// drain lets the server's goroutines run, one at a time. So each world of a seed has the same order
// of events.
func (s *sim) drain() {
	synctest.Wait()
	s.world.Sleep(time.Nanosecond)
	synctest.Wait()
}

func (s *sim) queue() uint32 { s.queues++; return s.queues }

func (s *sim) run() {
	for range 3 {
		s.honest = append(s.honest, s.newClient(true))
	}
	s.until("the honest clients have slots", 400, func() bool {
		return !slices.ContainsFunc(s.honest, func(c *simClient) bool { return c.slots == nil })
	})
	s.device.failOneIn, s.device.loseOneIn, s.device.fullOneIn = 30, 30, 200
	if s.world.OneIn(3) {
		s.device.stuckBefore = s.device.next + 64
	}
	for range simSteps {
		s.step()
	}
	s.calm()
}

// calm has all hostile clients go, and looks at what is left.
func (s *sim) calm() {
	s.quiet = true
	s.device.failOneIn, s.device.stuckBefore, s.world.ErrnoOneIn = 0, 0, 0
	for _, h := range s.hostile {
		h.conn.reset()
	}
	s.hostile = nil
	for range 100 {
		s.step()
	}
	newcomer := s.newClient(true)
	s.honest = append(s.honest, newcomer)
	s.until("a newcomer has slots", 400, func() bool { return newcomer.slots != nil })
	had := s.answers
	s.until("requests are answered", answerSteps, func() bool { return s.answers > had+100 })
	most := len(s.honest) + s.device.abandoned
	if open := len(s.server.clients); open != len(s.honest) || s.server.slotHolders > most ||
		s.device.domains > most+1 ||
		len(s.device.queues) > 2*(1+len(s.honest))+4*s.device.abandoned {
		s.world.Failf("%d honest clients are left, with %d connections, %d seats, %d domains, %d queue pairs, %d "+
			"abandoned",
			len(s.honest), open, s.server.slotHolders, s.device.domains, len(s.device.queues), s.device.abandoned)
	}
}

func (s *sim) until(what string, steps int, done func() bool) {
	for range steps {
		if s.step(); done() {
			return
		}
	}
	s.world.Failf("not within %d steps: %s", steps, what)
}

// step lets one client act, lets the server react, and then checks the server.
func (s *sim) step() {
	w := s.world
	s.steps = w.Step()
	s.act()
	if len(s.listener.queue) > 0 || w.OneIn(20) {
		if err := s.server.door.Step(); err != nil {
			w.Failf("the server does not accept any more: %v", err)
		}
		s.drain()
	}
	for _, worker := range s.server.workers {
		for len(worker.jobs) > 0 {
			(<-worker.jobs)()
			s.drain()
		}
		if _, err := worker.step(); err != nil {
			w.Failf("worker %d ends: %v", worker.number, err)
		}
		s.drain()
	}
	s.check()
}

func (s *sim) act() {
	w := s.world
	for _, c := range s.honest {
		c.act()
		s.drain()
	}
	if !s.quiet && s.steps > 400 {
		if len(s.hostile) < 16 && w.OneIn(4) {
			for range 1 + w.IntN(1+w.IntN(6)) {
				s.hostile = append(s.hostile, s.newHostile())
			}
		}
		s.hostile = slices.DeleteFunc(s.hostile, func(h *hostile) bool {
			gone := w.OneIn(2) && !h.act()
			s.drain()
			return gone
		})
	}
	switch {
	case w.OneIn(3):
		w.Sleep(time.Duration(w.IntN(int(20 * time.Millisecond))))
	case w.OneIn(50):
		w.Sleep(time.Duration(w.IntN(int(10 * time.Second))))
	}
	s.drain()
}

// meanwhile is what is written while a worker works.
func (s *sim) meanwhile() {
	s.place()
	if s.world.OneIn(10) && len(s.hostile) > 0 {
		if h := s.hostile[s.world.IntN(len(s.hostile))]; h.slots != nil {
			h.spoilSlots()
		}
	}
}

// check is what must hold after each step.
func (s *sim) check() {
	w := s.world
	select {
	case <-s.server.Ended():
		w.Failf("the server has ended: %v", s.server.Wait())
	default:
	}
	cfg := &s.server.cfg
	if got, most := s.device.slotBytes(), cfg.MaxClients*cfg.Workers*simSlots*cfg.SlotBytes; got > most {
		w.Failf("clients have %d bytes of slots, want at most %d", got, most)
	}
	open := 0
	s.conns = slices.DeleteFunc(s.conns, func(c *simConn) bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		over := c.closed
		if c.accepted && !over {
			open++
		}
		if c.greedy > 0 {
			w.Failf("the server makes room for %d bytes more than twice of the %d that have come", c.greedy, c.got)
		}
		return over
	})
	if open > cfg.MaxConnections {
		w.Failf("%d connections are open, want at most %d", open, cfg.MaxConnections)
	}
}

// TestPutBack checks that the simulation finds each of the fixed faults, put back one by one.
func TestPutBack(t *testing.T) {
	edit := func(file, old, now string) []simulation.Edit {
		return []simulation.Edit{{File: file, Old: old, New: now}}
	}
	simulation.PutBack(t, "^TestSimulation$", []simulation.Fault{
		{
			Name:  "eight zero bytes are a request",
			Edits: edit("inbox.go", "if c&shapeMask|shapeChecked != s.of {", "if c&shapeMask != s.of&shapeMask {"),
			Want:  "what is no request was done",
		},
		{
			Name:  "a request of two lines is believed by its last",
			Edits: edit("inbox.go", "if n <= in.whole || n >", "if in.whole > 0 || n >"),
			Want:  "a wrong answer to",
		},
		{
			Name:  "an answer that is not taken ends the worker",
			Edits: edit("sendqueue.go", "if s.sink == nil ||", "if why != nil || s.sink == nil ||"),
			Want:  "worker 0 ends: post",
		},
		{
			Name:  "an answer that completes badly ends the worker",
			Edits: edit("sendqueue.go", "if wc.Status == verbs.StatusFlushed ||", "if why != nil ||"),
			Want:  "ends: a send completed with",
		},
		{
			Name:  "an answer that is not taken ends other connections, too",
			Edits: edit("join.go", "c.number = s.joined", "c.number = 1"),
			Want:  "was ended: the server says \"an answer could not be sent",
		},
		{
			Name:  "any address will do",
			Edits: edit("handshake.go", "checkNumbers(ud), checkAddress(uc))", "checkNumbers(ud))"),
			Want:  "the server makes an address handle for",
		},
		{
			Name:  "slots that are not freed end the server",
			Edits: edit("join.go", "s.clientFailures.add(", "s.ended(err)\n\t\ts.clientFailures.add("),
			Want:  "the server has ended: ",
		},
		{
			Name:  "any error of accept ends the listener",
			Edits: edit("../../internal/admission/door.go", "if fatal(err) {", "if err != nil {"),
			Want:  "the server does not accept any more",
		},
		{
			Name: "no limit of connections",
			Edits: edit("../../internal/admission/door.go",
				"if d.counts.Open == d.cfg.Most {", "if d.counts.Open < 0 {"),
			Want: "connections are open, want at most",
		},
		{
			Name:  "one protection domain for all",
			Edits: edit("join.go", "if c.pd, err = s.device.AllocPD(); err != nil {", "if c.pd = s.pd; err != nil {"),
			Want:  "slots are freed that queue pair",
		},
		{
			Name:  "a hello may take for ever",
			Edits: edit("client.go", "c.read(helloTimeout)", "c.read(0)"),
			Want:  "has sent no whole frame since",
		},
		{
			Name:  "a frame may take for ever",
			Edits: edit("client.go", "c.within(frameTimeout, ", "c.within(0, "),
			Want:  "has sent no whole frame since",
		},
		{
			Name:  "an answer may take for ever",
			Edits: edit("client.go", "c.within(writeTimeout, ", "c.within(0, "),
			Want:  "has sent no whole frame since",
		},
		{
			Name:  "a header is believed",
			Edits: edit("frame.go", "make([]byte, 0, min(n, pieceBytes))", "make([]byte, 0, n)"),
			Want:  "the server makes room for",
		},
	})
}
