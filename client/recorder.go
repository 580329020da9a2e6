package client

import (
	"github.com/HdrHistogram/hdrhistogram-go"

	"dpukv/results"
)

// histPair holds one worker's records of one interval.
type histPair struct {
	interval int                     // counted from the start of the measurement period
	intended *hdrhistogram.Histogram // nil in a closed loop, where it would equal actual
	actual   *hdrhistogram.Histogram
	home     chan<- *histPair // takes the pair back once it is merged and emptied
}

func newHistPair(open bool, home chan<- *histPair) *histPair {
	p := &histPair{actual: results.NewHistogram(), home: home}
	if open {
		p.intended = results.NewHistogram()
	}
	return p
}

func (p *histPair) reset() {
	p.actual.Reset()
	if p.intended != nil {
		p.intended.Reset()
	}
}

// recorder takes one worker's latencies. At the end of an interval it hands its histograms to the
// collector and goes on with spare ones. So the measuring thread neither merges nor allocates nor
// waits.
type recorder struct {
	pair    *histPair
	spare   chan *histPair   // emptied histograms, back from the collector
	full    chan<- *histPair // has room for all pairs there are
	stepNs  int64
	nextNs  int64 // when this interval is over
	index   int   // of this interval
	clamped uint64
	samples uint64 // different latencies recorded: the answers of one batch are one
}

// pairsPerWorker is one pair to record into, and one to merge meanwhile.
const pairsPerWorker = 2

func newRecorder(open bool, full chan<- *histPair, startNs, intervalNs int64) recorder {
	spare := make(chan *histPair, pairsPerWorker)
	for range pairsPerWorker - 1 {
		spare <- newHistPair(open, spare)
	}
	return recorder{
		pair:   newHistPair(open, spare),
		spare:  spare,
		full:   full,
		stepNs: intervalNs,
		nextNs: startNs + intervalNs,
	}
}

// record counts n operations answered at receivedNs with the same latencies.
func (r *recorder) record(receivedNs, intendedNs, actualNs, n int64) {
	if receivedNs >= r.nextNs {
		r.roll(receivedNs)
	}
	if r.pair.intended != nil {
		r.count(r.pair.intended, intendedNs, n)
	}
	r.count(r.pair.actual, actualNs, n)
	r.samples++
}

func (r *recorder) count(h *hdrhistogram.Histogram, latencyNs, n int64) {
	inRange := min(max(latencyNs, results.HistogramLowestNs), results.HistogramHighestNs)
	if inRange != latencyNs {
		r.clamped += uint64(n)
	}
	_ = h.RecordValues(inRange, n) // fails only out of range
}

// roll starts the interval of nowNs. If the collector is behind, the current interval goes on under
// its old number.
func (r *recorder) roll(nowNs int64) {
	steps := (nowNs-r.nextNs)/r.stepNs + 1
	r.nextNs += steps * r.stepNs
	r.index += int(steps)
	select {
	case spare := <-r.spare:
		r.full <- r.pair
		r.pair = spare
		r.pair.interval = r.index
	default:
	}
}

// finish hands over the records of the last interval.
func (r *recorder) finish() {
	r.full <- r.pair
	r.pair = nil
}
