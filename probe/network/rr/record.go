package rr

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dpukv/results"
)

const (
	// intervalsMost is the largest number of intervals in a measurement period.
	intervalsMost = 10
	// intervalLeast is the shortest interval.
	intervalLeast = 100 * time.Millisecond
	// histogramsMost bounds the memory of all threads' histograms, to about 64 MB.
	histogramsMost = 280
)

// record has one thread's latencies of a measurement period. All its histograms exist from the
// start, so that no message allocates.
type record struct {
	fromNs, toNs, stepNs int64
	actual, intended     []*hdrhistogram.Histogram // by interval; a closed loop has actual only
	lag                  *hdrhistogram.Histogram   // open loop
	answers              uint64                    // that came within the period
	messages             uint64                    // open loop: intended within the period
	late                 uint64                    // of them, those that waited for a connection
	unanswered           uint64                    // of them, those without an answer in the end
}

// intervalsOf returns the number of intervals of a period.
func intervalsOf(period time.Duration, threads int) int {
	byMemory := histogramsMost / (2 * threads)
	return max(1, min(intervalsMost, byMemory, int(period/intervalLeast)))
}

func newRecord(open bool, fromNs, toNs int64, intervals int) *record {
	r := &record{
		fromNs: fromNs, toNs: toNs,
		stepNs: (toNs - fromNs + int64(intervals) - 1) / int64(intervals),
	}
	for range intervals {
		r.actual = append(r.actual, ready())
		if open {
			r.intended = append(r.intended, ready())
		}
	}
	if open {
		r.lag = ready()
	}
	return r
}

// ready returns a histogram whose memory is in place.
func ready() *hdrhistogram.Histogram {
	h := results.NewHistogram()
	h.Reset()
	return h
}

// within reports whether a time is in the measurement period.
func (r *record) within(atNs int64) bool { return r.fromNs <= atNs && atNs < r.toNs }

// send records a message's actual send.
func (r *record) send(c *conn) {
	if r.lag == nil || !r.within(c.intendedNs) {
		return
	}
	r.messages++
	if c.freeNs > c.intendedNs {
		r.late++
	}
	results.Record(r.lag, c.sentNs-max(c.intendedNs, c.freeNs))
}

// answer records a whole answer.
func (r *record) answer(c *conn, nowNs int64) {
	in := r.within(nowNs)
	if in {
		r.answers++
	}
	switch {
	case r.lag == nil && in:
		results.Record(r.actual[(nowNs-r.fromNs)/r.stepNs], nowNs-c.sentNs)
	case r.lag != nil && r.within(c.intendedNs):
		at := (c.intendedNs - r.fromNs) / r.stepNs
		results.Record(r.actual[at], nowNs-c.sentNs)
		results.Record(r.intended[at], nowNs-c.intendedNs)
	}
}

// missing records a message without an answer. An open loop has its age, too.
func (r *record) missing(intendedNs, nowNs int64, sent bool) {
	if r.lag == nil {
		r.unanswered++
	}
	if r.lag == nil || !r.within(intendedNs) {
		return
	}
	if !sent {
		r.messages++
		r.late++
	}
	r.unanswered++
	results.Record(r.intended[(intendedNs-r.fromNs)/r.stepNs], nowNs-intendedNs)
}

// add adds the counts of another thread.
func (r *record) add(o *record) {
	r.answers += o.answers
	r.messages += o.messages
	r.late += o.late
	r.unanswered += o.unanswered
	for i := range o.actual {
		r.actual[i].Merge(o.actual[i]) // of one range: nothing is dropped
	}
	for i := range o.intended {
		r.intended[i].Merge(o.intended[i])
	}
	if r.lag != nil {
		r.lag.Merge(o.lag)
	}
}

// intervals returns the histograms that have counts.
func (r *record) intervals(start time.Time) []results.Interval {
	var list []results.Interval
	for i := range r.actual {
		from := start.Add(time.Duration(int64(i) * r.stepNs))
		to := start.Add(time.Duration(min(int64(i+1)*r.stepNs, r.toNs-r.fromNs)))
		add := func(tag string, h *hdrhistogram.Histogram) {
			if h.TotalCount() > 0 {
				list = append(list, results.Interval{Tag: tag, Start: from, End: to, Histogram: h})
			}
		}
		if r.lag != nil {
			add(results.TagIntended, r.intended[i])
		}
		add(results.TagActual, r.actual[i])
	}
	return list
}

// total merges the histograms that the figures are from.
func (r *record) total() *hdrhistogram.Histogram {
	of := r.actual
	if r.lag != nil {
		of = r.intended
	}
	sum := results.NewHistogram()
	for _, h := range of {
		sum.Merge(h)
	}
	return sum
}
