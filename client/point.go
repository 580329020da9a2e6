package client

import (
	"errors"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dpukv/internal/cpu"
	"dpukv/kvs"
	"dpukv/results"
)

// summed has the sums over all threads in the measurement period.
type summed struct {
	inside, outside tally
	answeredIn      uint64 // in the measurement period, even if due before it
	late, unsent    uint64
	fills           uint64
	droppedFills    uint64
	ttls, longTTLs  uint64 // of a trace
	clamped         uint64
	samples         uint64
	submitted       uint64
	cpuNs, spunNs   int64
	traffic         kvs.Traffic
	reconnects      reconnects
	computed        computed
	versionBytes    uint64
	groups          uint64
	lag             *hdrhistogram.Histogram // the client's part of the batches' delay; nil: none
	heldGroups      uint64
	maxHeldNs       int64
	youngNs         int64 // see [loadRun.unanswered]
	random          bool  // the batches were due with drawn gaps
}

func (r *loadRun) sum() summed {
	var s summed
	for _, l := range r.loaders {
		s.inside.add(l.inside)
		s.outside.add(l.outside)
		s.answeredIn += l.answeredIn
		s.late += l.late
		s.unsent += l.unsent()
		s.fills += l.fills.answered
		s.droppedFills += l.fills.dropped
		if l.play != nil {
			s.ttls += l.play.ttls
			s.longTTLs += l.play.long
		}
		s.clamped += l.rec.clamped
		s.samples += l.rec.samples
		spent := l.spent()
		s.submitted += spent.submitted
		s.cpuNs += spent.cpuNs
		s.spunNs += spent.spunNs
		s.traffic.Add(&spent.traffic)
		s.reconnects.count += spent.reconnects.count
		s.reconnects.tookNs += spent.reconnects.tookNs
		s.computed.add(spent.computed)
		s.versionBytes += l.own.bytes
		s.groups += l.schedule.groups
		s.lag = mergeInto(s.lag, l.schedule.lag)
		s.heldGroups += l.schedule.heldGroups
		s.maxHeldNs = max(s.maxHeldNs, l.schedule.maxHeldNs)
		s.random = s.random || l.schedule.pacer.random
	}
	return s
}

// result makes the point of a run that ended with err, from the data at hand.
func (r *loadRun) result(err error) *Result {
	res := &Result{Point: r.asked(), Examples: r.examples()}
	if r.cfg.replay != nil {
		res.Trace = r.cfg.replay.id
	}
	p := &res.Point
	r.used(p)
	p.PreloadHitRate = r.verified.hitRate()
	r.moves(p)
	p.Errors = r.preloaded.errors + r.verified.errors + r.checked.errors + r.overlapped.errors
	p.Overlap = results.MeanOverlap(r.overlaps)
	if r.collector != nil {
		sum := r.sum()
		warning := distrust(&r.sampler.begin, &r.sampler.end, &r.preStats, r.flight().most())
		r.counted(p, sum)
		r.cost(p, sum)
		unsent := r.unsentAges()
		if !r.cfg.OpenLoop() {
			unsent, sum.youngNs = r.unanswered()
		}
		intended, actual := r.collector.totals()
		p.Latency, p.Actual = results.LatencyOf(intended), results.LatencyOf(actual)
		if sum.samples >= results.BatchesForP9999 {
			p.Latency, p.Actual = p.Latency.WithP9999(intended), p.Actual.WithP9999(actual)
		}
		res.Intervals = r.collector.intervals(r.startedAt, r.cfg.Interval, r.cfg.Duration)
		p.ByOp = results.ByOpOf(res.Intervals)
		if !r.cfg.OpenLoop() {
			p.InFlightMean = p.LittlesLaw()
			p.InFlightShare = p.InFlightMean / float64(r.flight().windows())
		}
		if p.Fills == 0 { // the server's time in it would be that of fills, too
			p.Stages = r.stages(p, sum)
		}
		if unsent != nil {
			p.LatencyLowerBoundFrom = results.LowerBoundFrom(intended, unsent)
			if !r.cfg.OpenLoop() {
				p.UnansweredOps = uint64(unsent.TotalCount())
			}
			res.Intervals = append(res.Intervals, results.Interval{
				Tag: results.TagUnsent, Start: r.startedAt, End: r.startedAt.Add(r.cfg.Duration),
				Histogram: unsent,
			})
		}
		res.Threads = r.threads()
		p.LatencyInterval = results.LatencyIntervalOf(res.Intervals, results.TagIntended)
		p.ActualInterval = results.LatencyIntervalOf(res.Intervals, results.TagActual)
		p.HitRateInterval = results.HitRateIntervalOf(res.Intervals)
		p.Warnings = append(r.warnings(p, sum), results.DriftWarnings(p, res.Intervals)...)
		p.Warnings = append(p.Warnings, results.ReadWarnings(warning)...)
		p.SayWhoIsFull()
		r.cooled(p)
	}
	p.Warnings = append(p.Warnings, results.ReadWarnings(r.evictions, r.untold())...)
	if err != nil {
		p.Status, p.Error = results.StatusFailed, err.Error()
		var timeout *timeoutError
		if errors.As(err, &timeout) {
			p.Timeouts = uint64(timeout.timedOut)
		}
		var backlog *backlogError
		if errors.As(err, &backlog) {
			p.Warnings = append(p.Warnings, results.Backlogged.Warn("all %d answers in the "+
				"measurement period were to operations due before it", backlog.answered))
		}
	}
	return res
}

func (r *loadRun) asked() results.Point {
	return results.Point{
		Identity: results.Identity{Schema: results.SchemaVersion, Status: results.StatusOK},
		Asked: results.Asked{
			Store: r.facts.Store, Load: r.cfg.Load, ServerThreads: serverThreads(&r.facts),
			ClientThreads: r.cfg.Threads,
		},
		Counted:  results.Counted{DurationNs: int64(r.cfg.Duration)},
		Warnings: results.Warnings{},
	}
}

// lanesOf describes lanes in a point.
func lanesOf(f *kvs.LaneFacts) *results.Lanes {
	if f == nil {
		return nil
	}
	return &results.Lanes{
		Provider: f.Provider, Emulated: f.Emulated, Answers: f.Answers, Wait: f.Wait,
		Ordering: f.Ordering,
		Lanes:    f.Lanes, Slots: f.Slots, SlotBytes: f.SlotBytes, Threads: f.Workers, CPUs: f.CPUs,
	}
}

// serverThreads returns the number of threads that execute operations.
func serverThreads(f *kvs.Facts) int {
	if f.Lanes != nil {
		return f.Lanes.Workers
	}
	return f.Workers
}

func (r *loadRun) used(p *results.Point) {
	p.Setup = r.facts.Setup
	p.Lanes, p.ProxyLanes = lanesOf(r.facts.Lanes), lanesOf(r.facts.ProxyLanes)
	if p.ProxyLanes != nil {
		p.ProxyLanes = lanesOf(r.remote.Facts().ProxyLanes) // now with those of the sessions
	}
	for _, l := range []*results.Lanes{p.ProxyLanes, p.Lanes} {
		if l != nil {
			p.Answers, p.Wait = both(p.Answers, l.Answers), both(p.Wait, l.Wait)
			p.Emulated = p.Emulated || l.Emulated
		}
	}
	if p.Lanes != nil {
		p.EngineThreads = r.facts.Workers
	}
	if p.ClientWait = r.clientWait(); p.ServerWait != kvs.WaitPoll || p.Lanes != nil {
		p.ServerWait = "" // of halves, the lanes tell
	}
	p.Transport, p.Pages = r.facts.Transport, r.facts.Pages
	p.Provider, p.Protocol = r.facts.Provider, r.facts.Protocol
	p.Emulated = p.Emulated || r.facts.Emulated
	p.RequestCheck = r.facts.RequestCheck
	if r.cfg.replay != nil {
		p.TraceFile = r.cfg.replay.facts()
	}
	p.TLS, p.ClusterNodes = r.facts.TLS, r.facts.ClusterNodes
	p.ServerCPUs, p.ClientCPUs = r.facts.CPUs, r.pinnedTo()
	p.ServerVersion, p.ServerAddr = r.facts.Version, r.cfg.ServerAddr
}

// both is what two ends tell of one thing.
func both(a, b string) string {
	if a == "" || a == b {
		return b
	}
	return a + " and " + b
}

// pinnedTo lists the CPUs with a thread pinned to them, ascending.
func (r *loadRun) pinnedTo() []int {
	cpus := []int{}
	for i := range min(r.cfg.Threads, len(r.cfg.CPUs)) {
		cpus = append(cpus, r.cfg.CPUs[i])
	}
	slices.Sort(cpus)
	return slices.Compact(cpus)
}

func (r *loadRun) counted(p *results.Point, s summed) {
	p.StartedAt = r.startedAt
	p.Ops = s.inside.answered
	p.Gets, p.Hits, p.Misses = s.inside.gets, s.inside.hits, s.inside.misses
	p.Fills, p.TTLOps = s.fills, s.ttls
	p.ComparedGets, p.VersionBytes = s.inside.compared, s.versionBytes
	if replay := r.cfg.replay; replay != nil {
		p.VersionBytes, p.FollowedKeys = replay.keys.Bytes(), replay.keys.Count()
		p.SizelessMisses = s.inside.sizeless
	}
	if s.inside.hits > 0 && p.ValueSizes != "" {
		p.HitValueBytes = float64(s.inside.hitBytes) / float64(s.inside.hits)
	}
	p.Errors += s.inside.errors + s.outside.errors
	p.LateOps, p.UnsentOps = s.late, s.unsent
	if s.lag != nil {
		p.ClientLag = results.LagOf(s.lag)
	}
	p.Retries = s.traffic.Retries
	p.Items = itemsOf(r.facts.Reads, &s.traffic.Items)
	if p.Reconnects = s.reconnects.count; p.Reconnects > 0 {
		p.ReconnectMeanNs = float64(s.reconnects.tookNs) / float64(p.Reconnects)
	}
	p.ThroughputOps = float64(p.Ops) / r.cfg.Duration.Seconds()
	p.Evicted = r.evictedBy(&r.sampler.end.server)
	if s.traffic.Frames > 0 {
		p.OpsPerFrame = float64(s.submitted) / float64(s.traffic.Frames)
		p.BytesPerFrame = float64(s.traffic.SentBytes) / float64(s.traffic.Frames)
	}
	if s.traffic.Writes > 0 {
		p.FramesPerWrite = float64(s.traffic.Frames) / float64(s.traffic.Writes)
	}
}

// itemsOf tells how GETs read items; nil: they do not.
func itemsOf(f *kvs.ReadFacts, t *kvs.ReadTraffic) *results.Items {
	if f == nil {
		return nil
	}
	gets := float64(max(t.Gets+t.Asked, 1))
	return &results.Items{
		ReadShare: float64(t.Gets) / gets, ReadsPerGet: float64(t.Reads) / gets,
		BytesPerGet: float64(t.Bytes) / gets, RetriesPerGet: float64(t.Retries) / gets,
		CheckNsPerRead: float64(t.CheckedNs) / float64(max(t.CheckedGets, 1)),
		Responder:      f.Responder,
	}
}

// evictedBy returns how many keys the server had evicted by the time of a sample, since before the
// preload.
func (r *loadRun) evictedBy(then *kvs.Stats) uint64 {
	count := func(s *kvs.Stats) (n uint64) {
		for i := range s.Workers {
			n += s.Workers[i].Evicted
		}
		return n
	}
	before, after := count(&r.preStats), count(then)
	return max(after, before) - before
}

// leastShared is the shortest period whose CPU time says something of its operations. A run that
// fails early may have measured for some nanoseconds.
const leastShared = time.Millisecond

// cost fills in CPU times. The samples are not taken at the very ends of the measurement period. So
// it scales the CPU time between the samples to the length of that period.
func (r *loadRun) cost(p *results.Point, s summed) {
	if r.cfg.Duration < leastShared {
		return
	}
	wall := float64(r.cfg.Duration)
	p.ClientCPUShare = float64(s.cpuNs) / (wall * float64(r.clientCPUs()))
	p.ClientBusyShare = r.shareOf(s.busyNs())
	s.computed.cost(p, s.answeredIn)
	begin, end := &r.sampler.begin, &r.sampler.end
	span := float64(end.nowNs - begin.nowNs)
	if end.nowNs == 0 || span <= 0 {
		return // the run ended before
	}
	clientNs := float64(end.processNs-begin.processNs) / span * wall
	serverNs := float64(end.server.CPUNs - begin.server.CPUNs)
	// The client's work of that time, even where it belongs to a backlog of the warm-up.
	if s.answeredIn > 0 {
		p.ClientCPUNsPerOp = clientNs / float64(s.answeredIn)
	}
	if clientNs > 0 && r.cfg.hashes() {
		hashing := r.sampler.hashing.share(min(r.hashNs*float64(s.answeredIn)/clientNs, 1))
		p.ClientHashShare, p.ClientHashShareBy, p.ClientHashSamples = hashing.share, hashing.how,
			hashing.samples
		p.ClientHashShareCheck = r.hashChecked
	}
	if ops := end.server.Ops() - begin.server.Ops(); ops > 0 {
		p.ServerCPUNsPerOp = serverNs / float64(ops)
	}
	p.ServerWorkers = serverWorkers(begin, end, r.facts.Workers)
	if p.Items != nil {
		p.Items.ServerWorkNsPerOp = workPerOp(begin, end)
	}
	r.interference(p, begin, end)
	spend(p, begin, end)
	threads := r.facts.Workers
	if l := r.facts.Lanes; l != nil {
		threads += l.Workers
	}
	if threads > 0 {
		p.ServerCPUShare = serverNs / (span * float64(threads))
	}
	r.parts(p)
}

// workPerOp is the CPU time of the server's workers in which they found work, per operation.
func workPerOp(begin, end *sample) float64 {
	ops := end.server.Ops() - begin.server.Ops()
	if ops == 0 || len(end.server.Workers) != len(begin.server.Workers) {
		return 0
	}
	work := int64(0)
	for i := range end.server.Workers {
		a, b := &begin.server.Workers[i], &end.server.Workers[i]
		work += b.CPUNs - a.CPUNs - (b.SpunNs - a.SpunNs)
	}
	return float64(max(work, 0)) / float64(ops)
}

// spunError is the inverse of the relative error of the time that a thread spun: see package idle.
const spunError = 10

// parts tells the CPU time of each process that an operation passes.
func (r *loadRun) parts(p *results.Point) {
	begin, end := &r.sampler.begin.server, &r.sampler.end.server
	ops := float64(end.Ops() - begin.Ops())
	if ops == 0 {
		return
	}
	p.Parts = []results.Part{{Part: kvs.PartApplication, CPUNsPerOp: p.ClientCPUNsPerOp}}
	for _, part := range []string{kvs.PartProxy, kvs.PartEngine, kvs.PartStore} {
		a, known := begin.PartOf(part)
		b, _ := end.PartOf(part)
		if known {
			cpuNs, spunNs := b.CPUNs-a.CPUNs, b.SpunNs-a.SpunNs
			switch {
			case spunNs > cpuNs+cpuNs/spunError:
				spunNs = 0 // not known
			case spunNs > cpuNs:
				spunNs = cpuNs
			}
			p.Parts = append(p.Parts, results.Part{
				Part: part, CPUNsPerOp: float64(cpuNs) / ops, SpunNsPerOp: float64(spunNs) / ops,
			})
		}
	}
	if _, split := begin.PartOf(kvs.PartStore); !split {
		p.Parts = append(p.Parts, results.Part{
			Part: kvs.PartServer, CPUNsPerOp: p.ServerCPUNsPerOp,
			SpunNsPerOp: min(spunPerOp(begin, end), p.ServerCPUNsPerOp),
		})
	}
}

// spunPerOp is the CPU time per operation that the workers of a whole server polled without finding
// work; 0: they do not poll.
func spunPerOp(begin, end *kvs.Stats) float64 {
	ns := int64(0)
	if len(begin.Workers) == len(end.Workers) {
		for i := range end.Workers {
			ns += end.Workers[i].SpunNs - begin.Workers[i].SpunNs
		}
	}
	return float64(max(ns, 0)) / float64(end.Ops()-begin.Ops())
}

// clientCPUs returns the number of CPUs that the threads could use at once.
func (r *loadRun) clientCPUs() int {
	if pinned := len(r.pinnedTo()); pinned > 0 {
		return pinned
	}
	allowed, err := cpu.Allowed()
	if err != nil {
		return r.cfg.Threads
	}
	return min(r.cfg.Threads, len(allowed))
}

func (r *loadRun) threads() []ThreadSummary {
	var list []ThreadSummary
	for _, l := range r.loaders {
		spent := l.spent()
		s := ThreadSummary{
			Thread: l.id, CPU: l.cpu, Ops: l.inside.answered,
			CPUNs: spent.cpuNs, SpinNs: spent.spunNs, Frames: spent.traffic.Frames,
			HeldGroups: l.schedule.heldGroups, MaxHeldNs: l.schedule.maxHeldNs,
		}
		if l.schedule.lag != nil {
			s.Lag = results.LagOf(l.schedule.lag)
		}
		list = append(list, s)
	}
	return list
}

// unsentAges returns the ages of the operations that were due in the measurement period and never
// sent; nil: there are none.
func (r *loadRun) unsentAges() (ages *hdrhistogram.Histogram) {
	for _, l := range r.loaders {
		if !l.finished {
			continue // the run failed
		}
		l.eachUnsent(func(intendedNs int64, n uint64) {
			if ages == nil {
				ages = results.NewHistogram()
			}
			results.RecordN(ages, l.cutNs-intendedNs, int64(n))
		})
	}
	return ages
}

func (r *loadRun) flight() flight { return flight{&r.cfg, r.facts.Workers} }

// unanswered returns the ages of operations that a closed loop had in flight at the end for longer
// than any answer took. The answers do not tell how long those took. It counts them in the last
// interval. youngNs is the sum of the ages of all others. nil: there are none.
func (r *loadRun) unanswered() (ages *hdrhistogram.Histogram, youngNs int64) {
	_, answered := r.collector.totals()
	longestNs := answered.Max()
	for _, l := range r.loaders {
		for _, a := range l.left {
			switch {
			case !l.finished: // the run failed
			case a.ageNs <= longestNs:
				youngNs += a.ageNs * a.n
			default:
				if ages == nil {
					ages = results.NewHistogram()
				}
				results.RecordN(ages, a.ageNs, a.n)
			}
		}
	}
	if ages != nil {
		last := int((r.cfg.Duration - 1) / r.cfg.Interval)
		r.collector.merge(&histPair{interval: last, ops: byKind{noKind: ages}})
	}
	return ages, youngNs
}
