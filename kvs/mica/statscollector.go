package mica

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/energy"
	"dpukv/kvs"
)

// statsInterval is the minimum interval between the starts of two rounds for clients.
const statsInterval = 10 * time.Millisecond

// statsRound is the result of one round of the collector.
type statsRound struct {
	round uint64
	text  []byte // kvs.Stats as JSON
	err   error  // why there are none
}

// statsCollector collects the counters of all workers, each on its own thread, one round at a time.
// All questions that come during a round share the next one. Rounds are numbered from 1.
type statsCollector struct {
	server *Server
	// apart runs work that no worker should do on its thread.
	apart func(func())

	mu        sync.Mutex
	round     uint64 // the last that began
	running   bool
	wanted    bool // another round is needed
	atOnce    bool // at once, and not only when it is due
	startedNs int64
	reports   []kvs.WorkerStats
	missing   int
	waiting   []statsWaiter
}

// statsWaiter is a waiting caller in this process.
type statsWaiter struct {
	round  uint64
	result chan statsResult
}

type statsResult struct {
	stats kvs.Stats
	err   error
}

// ask requests a round that begins after this call, and returns its number.
func (g *statsCollector) ask(nowNs int64) uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.wanted = true
	round := g.round + 1
	g.begin(nowNs)
	return round
}

// await is ask for this process itself. It does not wait until a round is due.
func (g *statsCollector) await() <-chan statsResult {
	g.mu.Lock()
	defer g.mu.Unlock()
	w := statsWaiter{g.round + 1, make(chan statsResult, 1)}
	g.waiting = append(g.waiting, w)
	g.wanted, g.atOnce = true, true
	g.begin(cpu.NowNs())
	return w.result
}

// due begins a requested round, if the interval has passed.
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

// report adds one worker's counters. The last report ends the round.
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

// collected returns the counters of a round. Without those of its store half, an engine has none: a
// part would look like the whole.
func (g *statsCollector) collected() (kvs.Stats, error) {
	b := &g.server.budget
	stats := kvs.Stats{
		CPUNs: cpu.ProcessNs(), CPUs: cpu.OccupiedBy(g.server.facts.CPUs), Energy: energy.Read(),
		Workers: g.reports, Warnings: slices.Clone(g.server.warnings),
		BufferedBytes: b.held.Load(), BufferedMostBytes: b.most.Load(),
	}
	if err := g.server.items.addTo(&stats); err != nil {
		return kvs.Stats{}, fmt.Errorf("counters of the store half: %w", err)
	}
	return stats, nil
}

func (g *statsCollector) finish() {
	stats, err := g.collected()
	news := &statsRound{err: err}
	if err == nil {
		news.text, _ = json.Marshal(&stats) // numbers and strings always marshal
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running = false
	news.round = g.round
	later := g.waiting[:0]
	for _, w := range g.waiting {
		if w.round <= g.round {
			w.result <- statsResult{stats, err}
		} else {
			later = append(later, w)
		}
	}
	g.waiting = later
	for _, w := range g.server.workers {
		w.mail.post(func(l *workerMail) { l.told = news })
	}
	g.begin(g.startedNs) // for callers in this process
}
