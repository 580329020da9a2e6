package mica

import (
	"encoding/json"
	"sync"
	"time"

	"dpukv/internal/cpu"
	"dpukv/kvs"
)

// statsInterval is how far apart rounds for clients begin at least.
const statsInterval = 10 * time.Millisecond

// statsRound is what one round of the collector found.
type statsRound struct {
	round uint64
	text  []byte // a JSON of kvs.Stats
}

// statsCollector collects the counters of all workers, each on its own thread, at most once at a
// time. Who asks while one runs shares the next with all others who do. Gatherings are numbered
// from 1.
type statsCollector struct {
	server *Server
	// apart runs what no worker should do on its thread.
	apart func(func())

	mu        sync.Mutex
	round     uint64 // the last that began
	running   bool
	wanted    bool // one more
	atOnce    bool // and not only when it is due
	startedNs int64
	reports   []kvs.WorkerStats
	missing   int
	waiting   []statsWaiter
}

// statsWaiter is somebody in this process.
type statsWaiter struct {
	round uint64
	stats chan kvs.Stats
}

// ask wants a round that begins after this call, and returns its number.
func (g *statsCollector) ask(nowNs int64) uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.wanted = true
	round := g.round + 1
	g.begin(nowNs)
	return round
}

// await is ask for this process itself, which does not wait until one is due.
func (g *statsCollector) await() <-chan kvs.Stats {
	g.mu.Lock()
	defer g.mu.Unlock()
	w := statsWaiter{g.round + 1, make(chan kvs.Stats, 1)}
	g.waiting = append(g.waiting, w)
	g.wanted, g.atOnce = true, true
	g.begin(cpu.NowNs())
	return w.stats
}

// due begins a round that is wanted, once it may.
func (g *statsCollector) due(nowNs int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.begin(nowNs)
}

func (g *statsCollector) begin(nowNs int64) {
	early := g.round > 0 && nowNs-g.startedNs < int64(statsInterval)
	if !g.wanted || g.running || early && !g.atOnce {
		return
	}
	g.round++
	g.running, g.wanted, g.atOnce, g.startedNs = true, false, false, nowNs
	g.reports = make([]kvs.WorkerStats, len(g.server.workers))
	g.missing = len(g.reports)
	for _, w := range g.server.workers {
		w.mail.post(func(l *workerMail) { l.report = g.round })
	}
}

// report is a worker's answer. The last one ends the round.
func (g *statsCollector) report(number int, s kvs.WorkerStats) {
	g.mu.Lock()
	g.reports[number] = s
	g.missing--
	last := g.missing == 0
	g.mu.Unlock()
	if last {
		g.apart(g.finish)
	}
}

func (g *statsCollector) finish() {
	b := &g.server.budget
	stats := kvs.Stats{
		CPUNs: cpu.ProcessNs(), CPUs: cpu.OccupiedBy(g.server.facts.CPUs), Workers: g.reports,
		BufferedBytes: b.held.Load(), BufferedMostBytes: b.most.Load(),
	}
	text, _ := json.Marshal(&stats) // numbers and words can't fail
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running = false
	news := &statsRound{g.round, text}
	later := g.waiting[:0]
	for _, w := range g.waiting {
		if w.round <= g.round {
			w.stats <- stats
		} else {
			later = append(later, w)
		}
	}
	g.waiting = later
	for _, w := range g.server.workers {
		w.mail.post(func(l *workerMail) { l.told = news })
	}
	g.begin(g.startedNs) // for those in this process
}
