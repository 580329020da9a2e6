package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dpukv/client/quota"
	"dpukv/hashbench"
	"dpukv/internal/cpu"
	"dpukv/internal/killed"
	"dpukv/kvs"
	"dpukv/load/trace"
	"dpukv/results"
)

// Result is the outcome of one run.
type Result struct {
	// Point has everything that the client knows. The caller fills in ID, Placement, Submode,
	// Repeat and ClientVersion.
	Point results.Point
	// Intervals are both latencies over time. Merged, they count Point.Ops + Point.LateOps
	// operations, and those from the intended send also Point.UnsentOps. In a closed loop the two
	// of an interval share a histogram, and they count Point.UnansweredOps, too.
	Intervals []results.Interval
	Threads   []ThreadSummary
	// Trace is for Config.KnownTrace of a later run; nil: there was no trace.
	Trace *trace.Identity
	// Lost is the number of items that others had on the server, and that it evicted.
	Lost uint64
	// Examples are the first few errors in words.
	Examples []string
}

// ThreadSummary counts one client thread's work in the measurement period.
type ThreadSummary struct {
	Thread     int    `json:"thread"`
	CPU        int    `json:"cpu"` // -1: not pinned
	Ops        uint64 `json:"ops"` // answered
	CPUNs      int64  `json:"cpu_ns"`
	SpinNs     int64  `json:"spin_ns"` // of CPUNs: looked for answers with nothing to send
	Frames     uint64 `json:"frames"`
	HeldGroups uint64 `json:"held_groups"` // batches begun late because the windows were full
	MaxHeldNs  int64  `json:"max_held_ns"` // the longest such delay
	// Lag is the client's own part of the batches' delay.
	Lag results.Lag `json:"lag"`
}

// startDelay is the time for the threads to get to the start.
const startDelay = 10 * time.Millisecond

// loadRun takes one run through its phases.
type loadRun struct {
	caller context.Context
	ctx    context.Context // ends with the caller's, or when something fails
	cancel context.CancelCauseFunc
	cfg    Config
	remote kvs.Remote
	facts  kvs.Facts
	stop   atomic.Bool
	pool   *threadPool
	phase  Phase

	hashNs      float64   // of one key
	hashChecked float64   // share of hashing, by leaving it out; 0: not checked
	preStats    kvs.Stats // before the preload
	postStats   kvs.Stats // of a replay: after its last answer
	preRoom     kvs.Room  // then, of a guarded server
	evictions   string    // a warning of what others lost
	// ration is the number of keys that a guarded preload may store until the next look at the room
	ration     atomic.Int64
	preloaded  tally
	verified   tally
	checked    tally // while the share of hashing was checked
	overlapped tally // while the overlap was measured
	overlaps   []results.Overlap
	loaders    []*loader
	collector  *collector
	sampler    sampler
	warming    kvs.Moved // until the warm-up
	whole      kvs.Moved // until the sessions were closed
	period     period
	quota      *quota.Quota // nil: the period has a fixed length
	cooling    coolDown
	begunAt    time.Time // of the run
	killed     killed.Count
	startedAt  time.Time // of the measurement period
}

// Run puts one load on a server and measures it. The result is nil only if the configuration is
// refused. Otherwise an error comes with a result, whose point has the status "failed". Run returns
// soon after ctx ends. It leaves the remote open.
func Run(ctx context.Context, remote kvs.Remote, cfg Config) (*Result, error) {
	cfg.setDefaults()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("load: %w", err)
	}
	facts := remote.Facts()
	if err := facts.Check(); err != nil {
		return nil, fmt.Errorf("load: %w", err)
	}
	replay, err := openReplay(&cfg, &facts)
	if err != nil {
		return nil, fmt.Errorf("load: %w", err)
	}
	defer replay.close()
	cfg.replay = replay
	if err := cfg.Fits(facts); err != nil {
		return nil, fmt.Errorf("load: %w", err)
	}
	if err := cfg.findHash(); err != nil {
		return nil, fmt.Errorf("load: %w", err)
	}
	r := &loadRun{
		caller: ctx, cfg: cfg, remote: remote, facts: facts, begunAt: time.Now(),
		killed: killed.Now(),
	}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	release := context.AfterFunc(r.ctx, func() { r.stop.Store(true) })
	defer release()
	defer r.cancel(nil)
	err = r.run()
	if f := remote.Facts(); err == nil {
		err = instrument(&f)
	}
	lost, err := r.settle(err)
	result := r.result(err)
	result.Lost = lost
	return result, err
}

// instrument returns an error for a run over a device that is an instrument for tests
// ([dpukv/verbs/nasty]): the answers were right, and the figures are no measurement.
func instrument(f *kvs.Facts) error {
	const mark = "nasty="
	providers := []string{f.Provider}
	for _, l := range []*kvs.LaneFacts{f.Lanes, f.ProxyLanes} {
		if l != nil {
			providers = append(providers, l.Provider)
		}
	}
	if i := slices.IndexFunc(providers, func(p string) bool {
		return strings.Contains(p, mark)
	}); i >= 0 {
		return fmt.Errorf("device: found %s, an instrument for tests: all answers were right, and "+
			"the times mean nothing; to measure, leave %s out of the device's name", providers[i],
			mark)
	}
	return nil
}

func (r *loadRun) run() error {
	if r.cfg.hashes() {
		r.hashNs = hashbench.Cost(r.cfg.hash, r.cfg.hashedBytes()) // of the mean size
	}
	r.sampler = sampler{
		remote: r.remote, timeout: r.cfg.Timeout, cpus: r.pinnedTo(),
	}
	if r.cfg.SameHost {
		r.sampler.serverCPUs = r.facts.CPUs
	}
	if r.facts.Reads != nil {
		r.sampler.asks = max(r.cfg.Timeout/8, 50*time.Millisecond)
	}
	r.pool = newThreadPool(&r.cfg, r.serverName(), &r.stop)
	r.sampler.moved, r.sampler.answers = r.moved, r.pool.answered
	err := r.phases()
	r.whole = r.moved()
	if err != nil {
		r.stop.Store(true)
		err = r.withObserved(err)
	}
	closeErr := r.pool.close()
	if err == nil && closeErr != nil {
		err = fmt.Errorf("close the sessions: %w", closeErr)
	}
	return err
}

func (r *loadRun) phases() error {
	type phase struct {
		name Phase
		do   func() error
	}
	phases := []phase{{PhaseOpen, r.open}}
	if !r.cfg.Replays() { // a trace has its own SETs
		phases = append(phases, phase{PhasePreload, r.preload}, phase{PhaseVerify, r.verify})
	}
	if r.cfg.Compute > 0 {
		phases = append(phases, phase{PhaseOverlap, r.overlap})
	}
	phases = append(phases, phase{PhaseReady, r.ready}, phase{PhaseMeasure, r.measure})
	if r.cfg.CheckHash {
		phases = append(phases, phase{PhaseHash, r.checkHashing})
	}
	if r.cfg.OnDone != nil {
		phases = append(phases, phase{PhaseDone, func() error { return r.cfg.OnDone(r.ctx) }})
	}
	for _, phase := range phases {
		r.phase = phase.name
		r.progress(Progress{Phase: phase.name})
		if err := phase.do(); err != nil {
			return fmt.Errorf("%s: %w", phase.name, r.explain(err))
		}
	}
	return nil
}

// explain turns errStopped into the cause of the stop: the caller, or an error outside the threads.
func (r *loadRun) explain(err error) error {
	switch {
	case !errors.Is(err, errStopped):
		return err
	case r.caller.Err() != nil:
		return fmt.Errorf("cancelled: %w", context.Cause(r.caller))
	}
	return context.Cause(r.ctx)
}

func (r *loadRun) serverName() string {
	name := r.facts.Store + " server"
	if r.cfg.ServerAddr != "" {
		name += " at " + r.cfg.ServerAddr
	}
	return name
}

func (r *loadRun) progress(p Progress) {
	if r.cfg.OnProgress != nil {
		r.cfg.OnProgress(p)
	}
}

func (r *loadRun) open() (err error) {
	if r.preStats, err = r.sampler.stats(r.ctx); err != nil {
		return err
	}
	if r.preRoom, _, err = r.room(); err != nil {
		return err
	}
	return r.pool.each(func(t *thread) error { return t.open(r.remote) }, r.cfg.Interval, nil)
}

// pass has the threads do one operation on each of count keys.
func (r *loadRun) pass(op kvs.Op, count uint64) (tally, error) {
	pass := keyPass{op: op, count: count, keys: uint64(r.cfg.Keys)}
	if r.cfg.Guard != nil {
		pass.stored = uint64(r.cfg.Guard.Stored)
	}
	if op != kvs.Get && r.guards() {
		pass.ration = &r.ration
	}
	passers := make([]*passer, len(r.pool.threads))
	for i, t := range r.pool.threads {
		passers[i] = newPasser(t, pass)
	}
	err := r.pool.each(
		func(t *thread) error { return passers[t.id].run() },
		r.cfg.Interval,
		func() { r.progress(Progress{Phase: r.phase, Done: r.pool.answered(), Total: count}) })
	var sum tally
	for _, p := range passers {
		sum.add(p.tally)
	}
	return sum, err
}

// preload sets every key once, unless another client has done so.
func (r *loadRun) preload() (err error) {
	if r.cfg.Preloaded {
		return nil
	}
	defer r.watch(preloadLook)()
	r.preloaded, err = r.pass(r.preloadOp(), uint64(r.cfg.Workload.Keys))
	if err != nil {
		return err
	}
	return r.preloadGate()
}

// verify asks for keys spread evenly over all, or for all keys if they are not too many.
func (r *loadRun) verify() (err error) {
	r.verified, err = r.pass(kvs.Get, min(uint64(r.cfg.Workload.Keys), maxVerified))
	if err != nil {
		return err
	}
	return r.verifyGate()
}

// ready lets the caller hold the load back. The threads send nothing meanwhile.
func (r *loadRun) ready() error {
	r.warming = r.moved()
	if r.cfg.OnReady == nil {
		return nil
	}
	return r.cfg.OnReady(r.ctx, r.verified.hitRate())
}

// measure runs warm-up, measurement period, cool-down and drain.
func (r *loadRun) measure() error {
	full := make(chan *histPair, pairsPerThread(r.cfg.OpenLoop())*r.cfg.Threads)
	r.setPeriod()
	for _, t := range r.pool.threads {
		l := newLoader(t, r.period, full)
		if r.quota != nil {
			l.quota = r.quota.Share()
		}
		if r.cfg.OnPeriodOver != nil {
			l.others = &r.cooling.over
		}
		r.loaders = append(r.loaders, l)
	}
	if r.cfg.lateWrites() {
		defer r.watch(loadLook)()
	}
	r.collector = newCollector(r.cfg.OpenLoop(), r.reporter())
	go r.collector.run(full)
	sampled := make(chan error, 1)
	go func() {
		err := r.sampler.run(r.ctx, r.period, r.quota)
		r.endPeriod()
		if err == nil {
			err = r.coolDown()
		}
		if err != nil {
			r.cancel(err)
		}
		sampled <- err
	}()

	err := r.pool.each(func(t *thread) error { return r.loaders[t.id].load() }, r.cfg.Interval, nil)
	if err != nil {
		r.cancel(err)
	}
	close(full)
	<-r.collector.done
	sampleErr := <-sampled
	r.cfg.Duration = time.Duration(r.period.toNs - r.period.fromNs)
	if err == nil {
		err = sampleErr
	}
	if err != nil {
		return err
	}
	if r.cfg.replay != nil {
		if err := r.cfg.replay.file.Unchanged(); err != nil {
			return fmt.Errorf("trace: %w", err)
		}
		if r.postStats, err = r.sampler.stats(r.ctx); err != nil {
			return err
		}
	}
	return r.gate()
}

func (r *loadRun) setPeriod() {
	now := cpu.NowNs()
	r.period.startNs = now + int64(startDelay) + int64(r.cfg.Threads)*int64(time.Millisecond)
	r.period.fromNs = r.period.startNs + int64(r.cfg.Warmup)
	r.period.toNs = r.period.fromNs + int64(r.cfg.Duration)
	switch {
	case r.cfg.Requests > 0:
		r.quota = quota.New(r.cfg.Requests, r.cfg.Threads)
		r.period.toNs = openEnd
	case r.cfg.wholeTrace():
		r.quota = quota.NewOpen(r.cfg.Threads)
		r.period.toNs = openEnd
	}
	r.startedAt = time.Now().Add(time.Duration(r.period.fromNs - now))
}

// reporter returns a function that turns the collector's intervals into progress.
func (r *loadRun) reporter() func(int, *hdrhistogram.Histogram) {
	if r.cfg.OnProgress == nil {
		return nil
	}
	return func(interval int, h *hdrhistogram.Histogram) {
		r.cfg.OnProgress(Progress{
			Phase:         PhaseMeasure,
			Elapsed:       time.Duration(interval+1) * r.cfg.Interval,
			ThroughputOps: float64(h.TotalCount()) / r.cfg.Interval.Seconds(),
			P50Ns:         h.ValueAtPercentile(50),
			P99Ns:         h.ValueAtPercentile(99),
			Errors:        r.pool.failures(),
			Interval:      r.cfg.Interval,
			Latencies:     h,
		})
	}
}
