package client

import (
	"github.com/HdrHistogram/hdrhistogram-go"

	"dpukv/results"
)

// histPair holds one thread's records of one interval.
type histPair struct {
	interval int // counted from the start of the measurement period
	// ops are the latencies by kind of operation: in an open loop from the intended send.
	ops    byKind
	actual *hdrhistogram.Histogram // nil in a closed loop, where it would be the sum of ops
	home   chan<- *histPair        // takes the pair back once it is merged and emptied
}

func newHistPair(cfg *Config, home chan<- *histPair) *histPair {
	p := &histPair{ops: cfg.expected(), home: home}
	if cfg.OpenLoop() {
		p.actual = results.NewHistogram()
	}
	return p
}

func (p *histPair) reset() {
	p.ops.reset()
	if p.actual != nil {
		p.actual.Reset()
	}
}

// recorder takes one thread's latencies. When an interval is over, it hands that interval's
// histograms to the collector and goes on with spare ones. So the measuring thread neither merges
// nor allocates nor waits.
//
// In an open loop an operation belongs to the interval in which it was due. Answers of several
// connections overtake each other, so the recorder keeps two intervals open there.
type recorder struct {
	pair    *histPair        // of the last record's interval
	other   *histPair        // open loop: of another interval; nil: none yet
	spare   chan *histPair   // emptied histograms, back from the collector
	full    chan<- *histPair // has room for all pairs there are
	startNs int64
	stepNs  int64
	fromNs  int64 // of the pair's interval
	nextNs  int64 // when it is over
	open    bool  // the loop
	wait    bool  // for a spare pair: the load is over
	clamped uint64
	samples uint64 // different latencies recorded: the answers of one batch are one
}

// pairsPerThread returns how many pairs a thread has: those to record into, and one to merge
// meanwhile.
func pairsPerThread(open bool) int {
	if open {
		return 3
	}
	return 2
}

func newRecorder(cfg *Config, full chan<- *histPair, startNs, intervalNs int64) recorder {
	pairs := pairsPerThread(cfg.OpenLoop())
	spare := make(chan *histPair, pairs)
	for range pairs - 1 {
		spare <- newHistPair(cfg, spare)
	}
	return recorder{
		pair:    newHistPair(cfg, spare),
		open:    cfg.OpenLoop(),
		spare:   spare,
		full:    full,
		startNs: startNs,
		stepNs:  intervalNs,
		fromNs:  startNs,
		nextNs:  startNs + intervalNs,
	}
}

// record counts operations with the same latencies, by their kinds, in the interval of atNs. That
// is the time of their answer, or in an open loop the time at which they were due.
func (r *recorder) record(atNs, intendedNs, actualNs int64, kinds *[loadKinds]int64) {
	r.turnTo(atNs)
	latencyNs := actualNs
	if r.open {
		latencyNs = intendedNs
	}
	all := int64(0)
	for kind, n := range kinds {
		if n > 0 {
			r.count(r.pair.ops.of(opKind(kind)), latencyNs, n)
			all += n
		}
	}
	if r.open {
		r.count(r.pair.actual, actualNs, all)
	}
	r.samples++
}

// recordFill counts a fill in the interval of atNs.
func (r *recorder) recordFill(atNs, latencyNs int64) {
	r.turnTo(atNs)
	r.count(r.pair.ops.of(fillDone), latencyNs, 1)
}

func (r *recorder) count(h *hdrhistogram.Histogram, latencyNs, n int64) {
	inRange := min(max(latencyNs, results.HistogramLowestNs), results.HistogramHighestNs)
	if inRange != latencyNs {
		r.clamped += uint64(n)
	}
	_ = h.RecordValues(inRange, n) // fails only out of range
}

// recordUnsent counts n operations that were due at atNs and never sent, with their age. They have
// no actual send. The load is over, so it may wait for the collector.
func (r *recorder) recordUnsent(atNs, ageNs, n int64) {
	r.wait = true
	r.turnTo(atNs)
	r.count(r.pair.ops.of(noKind), ageNs, n)
}

// turnTo makes the interval of a time the current one. If the collector is behind, the records go
// to the current interval, whichever it is.
func (r *recorder) turnTo(atNs int64) {
	if r.fromNs <= atNs && atNs < r.nextNs {
		return
	}
	interval := int((atNs - r.startNs) / r.stepNs)
	if r.other != nil && r.other.interval == interval {
		r.pair, r.other = r.other, r.pair
	} else if !r.begin(interval) {
		return
	}
	r.fromNs = r.startNs + int64(interval)*r.stepNs
	r.nextNs = r.fromNs + r.stepNs
}

// begin starts an interval in a spare pair. It hands over the oldest one, unless the recorder may
// keep that one open. It returns false if there is no spare pair.
func (r *recorder) begin(interval int) bool {
	spare := r.nextSpare()
	if spare == nil {
		return false
	}
	done := r.pair
	if r.open {
		done, r.other = r.other, r.pair
		if done != nil && done.interval > r.other.interval {
			done, r.other = r.other, done
		}
	}
	if done != nil {
		r.full <- done
	}
	spare.interval = interval
	r.pair = spare
	return true
}

func (r *recorder) nextSpare() *histPair {
	if r.wait {
		return <-r.spare
	}
	select {
	case spare := <-r.spare:
		return spare
	default:
		return nil
	}
}

// finish hands over the records of the last intervals.
func (r *recorder) finish() {
	if r.other != nil {
		r.full <- r.other
	}
	r.full <- r.pair
	r.pair, r.other = nil, nil
}
