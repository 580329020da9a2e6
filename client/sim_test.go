package client

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"dpukv/hashbench"
	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/load"
	"dpukv/results"
)

// simServer is a server with one queue, on a clock that only the client's waiting moves. So a load
// of minutes takes a moment, and its figures depend on nothing else.
type simServer struct {
	nowNs     int64
	serviceNs int64 // of a batch
	freeNs    int64 // when the server has done all that it has
	// the server does nothing between these times
	stallNs, stallEndNs int64
	othersNs            int64 // until when another client measures; 0: there is none
	turnNs              int64 // of a turn of the client's loop without a wait
	thinkNs             int64 // that the client takes from an answer to the next send
	// it does nothing between these times either
	stall2Ns, stall2EndNs int64
	// oversleep returns by how much a wait that ends at a time ends too late; nil: never
	oversleep func(endNs int64) int64

	batch, window int
	lastNs        int64             // when the last request was submitted
	answer        func(*kvs.Answer) // completes an answer to a GET
	reopenNs      int64             // the time that a reconnect takes
	stolenNs      int64             // that each part of a compute takes longer
	opened        int               // reconnects
	open          []kvs.Answer
	flight        []fakeFrame
}

func (s *simServer) Submit(q *kvs.Request) (bool, error) {
	if len(s.open) == s.batch && !s.send() {
		return false, nil
	}
	a := kvs.Answer{Op: q.Op, Cookie: q.Cookie, IntendedNs: q.IntendedNs}
	s.answer(&a)
	s.open = append(s.open, a)
	if len(s.open) == s.batch {
		s.send()
	}
	return true, nil
}

// send puts a batch into the server's queue.
func (s *simServer) send() bool {
	if len(s.open) == 0 || len(s.flight) >= s.window {
		return false
	}
	begin := max(s.nowNs, s.freeNs)
	if s.stallNs <= begin && begin < s.stallEndNs {
		begin = s.stallEndNs
	}
	if s.stall2Ns <= begin && begin < s.stall2EndNs {
		begin = s.stall2EndNs
	}
	s.freeNs = begin + s.serviceNs
	for i := range s.open {
		s.open[i].SentNs = s.nowNs
	}
	s.flight = append(s.flight, fakeFrame{answers: slices.Clone(s.open), readyNs: s.freeNs})
	s.open = s.open[:0]
	return true
}

func (s *simServer) Flush() error {
	s.send()
	return nil
}

// Poll moves the clock to the next answer, or to the end of the wait.
func (s *simServer) Poll(answers []kvs.Answer, wait time.Duration) ([]kvs.Answer, error) {
	end := s.nowNs + max(int64(wait), s.turnNs)
	if len(s.flight) > 0 && wait > 0 {
		end = min(end, max(s.flight[0].readyNs, s.nowNs))
	}
	if s.oversleep != nil && wait > 0 {
		end += s.oversleep(end)
	}
	s.nowNs = end
	for len(s.flight) > 0 && s.flight[0].readyNs <= s.nowNs {
		for _, a := range s.flight[0].answers {
			a.ReceivedNs = s.nowNs
			answers = append(answers, a)
		}
		s.flight = s.flight[1:]
	}
	if len(answers) > 0 {
		s.nowNs += s.thinkNs
	}
	return answers, nil
}

// simRemote opens the simulated server again, on its clock.
type simRemote struct {
	*fakeRemote
	server *simServer
}

func (r simRemote) Open(kvs.SessionOptions) (kvs.Session, error) {
	r.server.nowNs += r.server.reopenNs
	r.server.opened++
	return r.server, nil
}

// simWork moves the clock.
type simWork struct{ *simServer }

func (w simWork) Do(ns int64) { w.nowNs += ns + w.stolenNs }

func (s *simServer) InFlight() int        { return len(s.open) + len(s.flight)*s.batch }
func (s *simServer) Traffic() kvs.Traffic { return kvs.Traffic{} }
func (s *simServer) Moved() kvs.Moved     { return kvs.Moved{} }
func (s *simServer) Close() error         { return nil }

// simLoad is a load of one thread with GETs alone, in an open loop of 10,000 batches of one
// operation a second.
func simLoad() Config {
	return Config{
		Load: load.Load{
			Workload: load.Workload{Keys: 1, KeyBytes: 8, ValueBytes: 8, GetRatio: 1, Seed: 1},
			RateOps:  10_000, Connections: 1, Window: 64, Batch: 1,
			Hash: hashbench.Default, Warmup: 100 * time.Millisecond,
		},
		Threads: 1, Duration: time.Second, CPUs: []int{0},
	}
}

// simulate puts a load on a simulated server, and returns its result.
func simulate(t *testing.T, cfg Config, s *simServer) *Result {
	t.Helper()
	if raceEnabled {
		t.Skip("one goroutine does all, and the race detector makes it ten times slower")
	}
	cfg.setDefaults()
	s.batch, s.window = cfg.Batch, cfg.Window
	s.turnNs = max(s.turnNs, 100)
	value := make([]byte, cfg.ValueBytes)
	load.FillValue(value, 0, 0)
	s.answer = func(a *kvs.Answer) { a.Value, s.lastNs = value, s.nowNs }
	w := newThread(0, &cfg, "sim", new(atomic.Bool))
	w.session, w.ages, w.now = s, newAges(time.Hour, 0), func() int64 { return s.nowNs }
	w.remote, w.work = simRemote{newFakeRemote(), s}, simWork{s}
	r := &loadRun{
		ctx: t.Context(),
		cfg: cfg, facts: kvs.Facts{CPUs: []int{1}}, remote: newFakeRemote(),
		pool: &threadPool{threads: []*thread{w}},
	}
	r.setPeriod()
	r.startedAt = time.Unix(1000, 0)
	r.period.startNs, r.period.fromNs = 0, int64(cfg.Warmup)
	if r.quota == nil {
		r.period.toNs = r.period.fromNs + int64(cfg.Duration)
	}
	full := make(chan *histPair, pairsPerThread(cfg.OpenLoop()))
	l := newLoader(w, r.period, full)
	if s.othersNs > 0 {
		l.others = new(atomic.Bool)
		w.now = func() int64 {
			l.others.Store(s.nowNs >= s.othersNs)
			return s.nowNs
		}
	}
	if r.quota != nil {
		l.quota = r.quota.Share()
	}
	l.rec.wait = true // its intervals must not depend on the speed of the collector's goroutine
	r.loaders = []*loader{l}
	r.collector = newCollector(cfg.OpenLoop(), nil)
	go r.collector.run(full)
	must.Do(t, l.load())
	close(full)
	<-r.collector.done
	r.endPeriod()
	r.cfg.Duration = time.Duration(r.period.toNs - r.period.fromNs)
	err := r.gate()
	res := r.result(err)
	if err == nil {
		checkSums(t, res)
	}
	return res
}

// TestSimulationIsExact: the simulation reads what its server does.
func TestSimulationIsExact(t *testing.T) {
	p := simulate(t, simLoad(), &simServer{serviceNs: 20_000}).Point
	if p.Ops != 10_000 || p.P50Ns < 20_000 || p.P50Ns > 20_200 || p.MaxNs > 20_200 {
		t.Errorf("%d operations, latency %+v", p.Ops, p.Latency)
	}
	if p.ClientLag.MaxNs > 200 || hasWarning(p, "schedule") || hasWarning(p, "rate") || hasWarning(p, "latencies") {
		t.Errorf("lag %+v, warnings %q", p.ClientLag, p.Warnings)
	}
}

// TestWarmupDoesNotCount: a stall that ends 5 ms into the measurement period delays the operations
// of the warm-up. Their latencies and their number belong to the warm-up.
func TestWarmupDoesNotCount(t *testing.T) {
	s := &simServer{serviceNs: 20_000, stallNs: 15e6, stallEndNs: 105e6}
	cfg := simLoad()
	cfg.Window = 2048
	p := simulate(t, cfg, s).Point
	if p.Ops != 10_000 || p.LateOps != 0 || p.ThroughputOps > cfg.RateOps {
		t.Errorf("%d operations answered, %d late, %v a second of %v offered", p.Ops, p.LateOps,
			p.ThroughputOps, cfg.RateOps)
	}
	// 900 operations wait when the server goes on; the first of the period waits for them.
	if p.MaxNs > 24e6 || p.P99Ns > 24e6 {
		t.Errorf("the latency of the warm-up's operations counts: %+v", p.Latency)
	}
	if hasWarning(p, "target rate missed") {
		t.Errorf("warnings %q", p.Warnings)
	}
}

// TestPoissonArrivals: the load offers the rate of a Poisson process, whose chance is no missed rate.
func TestPoissonArrivals(t *testing.T) {
	cfg := simLoad()
	cfg.Arrivals = load.Poisson
	p := simulate(t, cfg, &simServer{serviceNs: 20_000}).Point
	if n := float64(p.Ops); p.Arrivals != load.Poisson || n == 10_000 || math.Abs(n-10_000) > 5*100 {
		t.Errorf("%v operations, arrivals %q", n, p.Arrivals)
	}
	if hasWarning(p, "target rate missed") {
		t.Errorf("chance is taken for a rate that was missed: %q", p.Warnings)
	}
}

// TestFallingBehindMissesTheRate: late answers do not make up for a server that is too slow.
func TestFallingBehindMissesTheRate(t *testing.T) {
	cfg := simLoad()
	cfg.Window = 1 << 16
	p := simulate(t, cfg, &simServer{serviceNs: 125_000}).Point // 8,000 a second
	if p.UnsentOps != 0 || p.Ops+p.LateOps != 10_000 {
		t.Errorf("%d operations, %d late, %d unsent, want 10,000 in total", p.Ops, p.LateOps, p.UnsentOps)
	}
	if p.ThroughputOps > 8000 || !hasWarning(p, "target rate missed: 8000 of 10000") {
		t.Errorf("throughput %v, warnings %q", p.ThroughputOps, p.Warnings)
	}
}

// TestBacklogAloneIsNoResult: where only the warm-up's operations were answered, there is nothing
// to report.
func TestBacklogAloneIsNoResult(t *testing.T) {
	cfg := simLoad()
	cfg.Window, cfg.Warmup, cfg.Duration = 1<<16, time.Second, 100*time.Millisecond
	p := simulate(t, cfg, &simServer{serviceNs: 1_000_000}).Point
	if p.Status != results.StatusFailed || p.Ops != 0 || !p.BeyondCapacity() {
		t.Errorf("%d operations, status %q: %s, warnings %q", p.Ops, p.Status, p.Error, p.Warnings)
	}
}

// TestLateWakeUps: the client wakes 400 µs late each time. Most of the latency is its own doing.
func TestLateWakeUps(t *testing.T) {
	cfg := simLoad()
	cfg.RateOps = 1000
	s := &simServer{serviceNs: 20_000, oversleep: func(int64) int64 { return 400_000 }}
	p := simulate(t, cfg, s).Point
	if p.P50Ns < 400_000 || p.ClientLag.P50Ns < 370_000 || p.ClientLag.P50Ns > 400_000 {
		t.Errorf("latency %+v, lag %+v", p.Latency, p.ClientLag)
	}
	if !hasWarning(p, "schedule late: found a p50 of 38") || hasWarning(p, "schedule held") {
		t.Errorf("warnings %q", p.Warnings)
	}
}

// TestFewLateBatches: 1 % of the batches leave 50 ms late. They are all that the p99.9 shows.
func TestFewLateBatches(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds: a thousand of the simulation's")
	}
	cfg := simLoad()
	cfg.RateOps, cfg.Duration = 10, 1000*time.Second
	batches := int64(0)
	s := &simServer{serviceNs: 20_000, turnNs: 5000}
	s.oversleep = func(endNs int64) int64 {
		if batch := endNs / 1e8; batch%100 == 50 && batch != batches && endNs%1e8 > 9e7 {
			batches = batch
			return 50e6
		}
		return 0
	}
	p := simulate(t, cfg, s).Point
	if p.P999Ns < 45e6 || p.ClientLag.P999Ns < 45e6 || p.ClientLag.P50Ns > 10_000 {
		t.Errorf("latency %+v, lag %+v", p.Latency, p.ClientLag)
	}
	if !hasWarning(p, "schedule late: found a p99.9 of") {
		t.Errorf("warnings %q", p.Warnings)
	}
}

// TestPausesFillTheWindow: after a pause of the client, its backlog fills the window at once. The
// pause is still the client's doing.
func TestPausesFillTheWindow(t *testing.T) {
	cfg := simLoad()
	cfg.Window, cfg.RateOps = 4, 1000
	next := int64(200e6)
	s := &simServer{serviceNs: 20_000}
	s.oversleep = func(endNs int64) int64 {
		if endNs < next {
			return 0
		}
		next += 200e6
		return 50e6
	}
	p := simulate(t, cfg, s).Point
	if p.ClientLag.P99Ns < 30e6 || !hasWarning(p, "schedule late") {
		t.Errorf("lag %+v, warnings %q", p.ClientLag, p.Warnings)
	}
	if hasWarning(p, "schedule held up") {
		t.Errorf("the server is blamed for the client's pauses: %q", p.Warnings)
	}
}

// TestFullWindowsAreNotTheClients: a server that stops delays batches. The client does not.
func TestFullWindowsAreNotTheClients(t *testing.T) {
	res := simulate(t, simLoad(), &simServer{serviceNs: 20_000, stallNs: 500e6, stallEndNs: 590e6})
	p := res.Point
	if p.ClientLag.MaxNs > 1000 || hasWarning(p, "schedule late") {
		t.Errorf("lag %+v, warnings %q", p.ClientLag, p.Warnings)
	}
	if p.P95Ns < 50e6 || p.Actual.P95Ns > 2e6 {
		t.Errorf("latency %+v, from the actual send %+v: only the first has the stall", p.Latency, p.Actual)
	}
	if !hasWarning(p, "schedule held up") || res.Threads[0].MaxHeldNs < 80e6 {
		t.Errorf("held up for %d ns at most, warnings %q", res.Threads[0].MaxHeldNs, p.Warnings)
	}
}

// TestUnsentOperationsCount: the server stops 90 ms before the end of the measurement period. The
// operations that never leave have waited for up to 84 ms by then.
func TestUnsentOperationsCount(t *testing.T) {
	p := simulate(t, simLoad(), &simServer{serviceNs: 20_000, stallNs: 1010e6, stallEndNs: 1200e6}).Point
	if p.UnsentOps != 835 || p.LateOps != 65 {
		t.Errorf("%d operations, %d late, %d unsent", p.Ops, p.LateOps, p.UnsentOps)
	}
	if p.P99Ns < 80e6 || p.P99Ns > 84e6 || p.LatencyLowerBoundFrom != 95 || p.P50Ns > 20_200 {
		t.Errorf("latency %+v, lower bounds from %v", p.Latency, p.LatencyLowerBoundFrom)
	}
	if p.Actual.P50Ns > 20_200 || !hasWarning(p, "lower bounds from p95 on") {
		t.Errorf("actual %+v, warnings %q", p.Actual, p.Warnings)
	}
}

// TestIntervalsAreOfTheIntendedTime: each interval has the operations that were due in it, although
// a stall keeps answers to the next. The last one is as short as the measurement period leaves it.
func TestIntervalsAreOfTheIntendedTime(t *testing.T) {
	cfg := simLoad()
	cfg.Duration, cfg.Window = 250*time.Millisecond, 1024
	res := simulate(t, cfg, &simServer{serviceNs: 20_000, stallNs: 280e6, stallEndNs: 320e6})
	want := []struct {
		count  int64
		length time.Duration
	}{
		{1000, 100 * time.Millisecond},
		{1000, 100 * time.Millisecond},
		{500, 50 * time.Millisecond},
	}
	i := 0
	for _, iv := range res.Intervals {
		if iv.Tag != results.TagIntended {
			continue
		}
		if got := iv.Histogram.TotalCount(); i >= len(want) || got != want[i].count ||
			iv.End.Sub(iv.Start) != want[i].length {
			t.Errorf("interval %d has %d operations in %v", i, got, iv.End.Sub(iv.Start))
		}
		i++
	}
	if i != len(want) {
		t.Errorf("%d intervals, want %d", i, len(want))
	}
}

// TestOneSecondHasPercentileIntervals: at the default interval, a second suffices for five sections.
func TestOneSecondHasPercentileIntervals(t *testing.T) {
	for _, rate := range []float64{0, 10_000} {
		cfg := simLoad()
		cfg.RateOps = rate
		p := simulate(t, cfg, &simServer{serviceNs: 20_000}).Point
		for _, i := range []results.LatencyInterval{p.LatencyInterval, p.ActualInterval} {
			if i.P50LoNs == 0 || i.P50LoNs > p.P50Ns || i.P50HiNs < p.P50Ns || i.P999HiNs == 0 {
				t.Errorf("rate %v: found the interval %+v, latency %+v", rate, i, p.Latency)
			}
		}
	}
}

// TestRareTail: p99.99 takes a hundred thousand batches. With fewer it is absent, not 0.
func TestRareTail(t *testing.T) {
	for _, c := range []struct {
		rate float64
		has  bool
	}{{99_000, false}, {101_000, true}} {
		cfg := simLoad()
		cfg.RateOps = c.rate
		p := simulate(t, cfg, &simServer{serviceNs: 5000, turnNs: 1000}).Point
		if has := p.P9999Ns > 0 && p.Actual.P9999Ns > 0; has != c.has {
			t.Errorf("%v batches: found %+v", p.Ops, p.Latency)
		}
		if line, err := json.Marshal(p); err != nil || bytes.Contains(line, []byte("p9999")) != c.has {
			t.Errorf("%v batches: found %s, %v", p.Ops, line, err)
		}
	}
}
