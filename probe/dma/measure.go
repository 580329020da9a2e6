package dma

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"dpukv/internal/cpu"
	"dpukv/probe"
	"dpukv/results"
)

// measure measures on a thread of its own, which is pinned to the first CPU of the task.
func measure(ctx context.Context, t *probe.Task) (o *probe.Outcome, err error) {
	var thread sync.WaitGroup
	thread.Go(func() {
		runtime.LockOSThread() // for good: the thread ends with the goroutine
		o, err = measureHere(ctx, t)
	})
	thread.Wait()
	return o, err
}

func measureHere(ctx context.Context, t *probe.Task) (o *probe.Outcome, err error) {
	if threads(t.Settings, false) == 2 && len(t.CPUs) == 1 {
		return nil, errOneCPU
	}
	if len(t.CPUs) > 0 {
		if err := cpu.PinThread(t.CPUs[0]); err != nil {
			return nil, err
		}
	}
	m, err := newMemory(t.Settings.Int("bytes"))
	if err != nil {
		return nil, fmt.Errorf("dma: %w", err)
	}
	defer func() { err = errors.Join(err, m.free()) }()
	e, err := engines[t.Settings.Get("engine")](t, m)
	if err != nil {
		return nil, err
	}
	// The engine ends before its memory goes.
	defer func() { err = errors.Join(err, e.close()) }()
	if err := prove(e, m, t); err != nil {
		return nil, err
	}
	l := newLoop(e, t.Settings, cpu.NowNs)
	defer context.AfterFunc(ctx, func() { l.stop.Store(true) })()
	if o, err = l.measure(t); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.describe(o, t, m)
	return o, nil
}

// prove compares one copy byte by byte.
func prove(e engine, m *memory, t *probe.Task) error {
	to, from := m.ends(t.Settings.Get("op"), 0)
	rng := rand.New(rand.NewPCG(t.Seed, 1))
	for i := range from {
		from[i] = byte(rng.Uint32())
		to[i] = ^from[i]
	}
	if err := e.post(0); err != nil {
		return err
	}
	for n := 0; n == 0; {
		var err error
		if n, err = e.reap(); err != nil {
			return err
		}
	}
	if !bytes.Equal(to, from) {
		return fmt.Errorf("dma: engine %s: found other bytes at the target of a completed copy, "+
			"allowed: those of its source; the engine can't be measured", t.Settings.Get("engine"))
	}
	return nil
}

// loop drives an engine.
type loop struct {
	engine   engine
	settings probe.Settings
	now      func() int64
	bytes    int
	batch    int
	between  int    // submissions between two looks at the clock
	next     uint64 // number of the next copy
	stop     atomic.Bool
}

// lookEvery is about how many bytes are submitted between two looks at the clock.
const lookEvery = 1 << 20

func newLoop(e engine, s probe.Settings, now func() int64) *loop {
	l := &loop{engine: e, settings: s, now: now, bytes: s.Int("bytes"), batch: 1, next: 1}
	if s.Get("test") == throughput {
		l.batch = s.Int("batch")
	}
	l.between = min(l.batch, max(1, lookEvery/l.bytes))
	return l
}

// measure warms up and measures.
func (l *loop) measure(t *probe.Task) (*probe.Outcome, error) {
	record := func(int64) {}
	if _, err := l.run(l.now()+int64(t.Warmup), record); err != nil {
		return nil, err
	}
	h := results.NewHistogram()
	if l.settings.Get("test") == latency {
		record = func(ns int64) { results.Record(h, ns) }
	}
	if t.Began != nil {
		t.Began()
	}
	o := &probe.Outcome{
		StartedAt: time.Now(), Figures: map[string]float64{}, Facts: map[string]string{},
	}
	begin, allCPU, ownCPU := l.now(), cpu.ProcessNs(), cpu.ThreadNs()
	done, err := l.run(begin+int64(t.Duration), record)
	if err != nil {
		return nil, err
	}
	ownCPU = cpu.ThreadNs() - ownCPU
	o.CPUNs = cpu.ProcessNs() - allCPU
	wall := l.now() - begin
	o.Duration = time.Duration(wall)
	o.Figures["core_share"] = float64(ownCPU) / float64(wall)
	if l.settings.Get("test") == throughput {
		o.Figures["copies_per_s"] = float64(done) / float64(wall) * 1e9
		o.Figures["bytes_per_s"] = o.Figures["copies_per_s"] * float64(l.bytes)
		return o, nil
	}
	o.Figures["mean_latency_ns"] = h.Mean()
	o.Figures["p50_latency_ns"] = float64(h.ValueAtPercentile(50))
	o.Figures["p99_latency_ns"] = float64(h.ValueAtPercentile(99))
	o.Intervals = []results.Interval{{
		Tag: results.TagActual, Start: o.StartedAt, End: o.StartedAt.Add(o.Duration), Histogram: h,
	}}
	return o, nil
}

// run copies until the time is up, and returns the number of completed copies. None is in flight
// when it returns. It records the time from a submission to its completion if only one is in flight
// at a time.
func (l *loop) run(until int64, record func(ns int64)) (done int, err error) {
	inFlight := 0
	for began := l.now(); ; {
		submit := 0
		if began < until && !l.stop.Load() {
			submit = min(l.between, l.batch-inFlight)
		}
		if submit+inFlight == 0 {
			return done, nil
		}
		for range submit {
			if err := l.engine.post(l.next); err != nil {
				return done, err
			}
			l.next++
		}
		inFlight += submit
		if inFlight == l.batch || submit == 0 {
			n, err := l.reap()
			if err != nil {
				return done, err
			}
			inFlight, done = inFlight-n, done+n
		}
		record(l.now() - began)
		began = l.now() // the time of the record is no part of the next latency
	}
}

// reap asks for completions until there is one.
func (l *loop) reap() (n int, err error) {
	for n == 0 && err == nil {
		n, err = l.engine.reap()
	}
	return n, err
}

// clockShare is the share of the clock in a latency from which on a warning tells.
const clockShare = 0.1

// starvedShare is the share of a CPU below which a thread that polls was kept from it.
const starvedShare = 0.95

// describe adds what was used.
func (l *loop) describe(o *probe.Outcome, t *probe.Task, m *memory) {
	o.Facts["far_bytes"] = strconv.Itoa(len(m.far))
	o.Facts["far_pages"] = m.regions[1].Backing().String()
	l.engine.describe(o)
	o.CPUs = t.CPUs
	clock := l.clockNs()
	o.Facts["clock_ns"] = strconv.FormatFloat(clock, 'f', 1, 64)
	share := o.Figures["core_share"]
	if t.Settings.Get("completion") == poll && share < starvedShare {
		o.Warnings = append(o.Warnings, fmt.Sprintf("the thread that polls had %.0f %% of a CPU: "+
			"other work took the rest, and the figures have its time", share*100))
	}
	if mean := o.Figures["mean_latency_ns"]; mean > 0 && clock > clockShare*mean {
		o.Warnings = append(o.Warnings, fmt.Sprintf("a look at the clock takes %.0f ns of the "+
			"%.0f ns of a copy; bytes_per_s has no such share", clock, mean))
	}
}

// clockNs is the cost of a look at the clock, which each latency has in it once.
func (l *loop) clockNs() float64 {
	const looks = 10_000
	begin := l.now()
	for range looks - 1 {
		l.now()
	}
	return float64(l.now()-begin) / looks
}
