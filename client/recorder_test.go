package client

import (
	"testing"
	"time"

	"dpukv/results"
)

// loop is the load of a recorder: GETs that find their keys.
func loop(open bool) *Config {
	cfg := &Config{}
	if cfg.GetRatio = 1; open {
		cfg.RateOps = 1
	}
	return cfg
}

// hits are n operations for a recorder.
func hits(n int64) *[loadKinds]int64 { return &[loadKinds]int64{getHit: n} }

// recordAll drives a recorder and a collector over the given times, and returns the collector.
func recordAll(open bool, intervalNs int64, receivedNs []int64) *collector {
	full := make(chan *histPair, pairsPerThread(true))
	rec := newRecorder(loop(open), full, 0, intervalNs)
	c := newCollector(open, nil)
	go c.run(full)
	for _, ns := range receivedNs {
		rec.record(ns, 2000, 1000, hits(3))
	}
	rec.finish()
	close(full)
	<-c.done
	return c
}

func TestRecorderLosesNothing(t *testing.T) {
	var times []int64
	for ns := int64(0); ns < 10_000_000; ns += 777 {
		times = append(times, ns)
	}
	for _, open := range []bool{false, true} {
		// Intervals far faster than the collector merges.
		c := recordAll(open, 10_000, times)
		intended, actual := c.totals()
		if want := int64(3 * len(times)); actual.TotalCount() != want || intended.TotalCount() != want {
			t.Errorf("%d and %d are recorded, want %d", intended.TotalCount(), actual.TotalCount(), want)
		}
		if len(c.slots) > maxSlots {
			t.Errorf("%d slots", len(c.slots))
		}
		if (intended.Max() > 1500) != open {
			t.Errorf("intended latency is at most %d, open loop %v", intended.Max(), open)
		}
	}
}

// TestCollectorHalves: a run with more intervals than slots keeps them all, in longer ones.
func TestCollectorHalves(t *testing.T) {
	const intervals = 5*maxSlots + 3
	home := make(chan *histPair, 1)
	p, c := newHistPair(loop(true), home), newCollector(true, nil)
	for i := range intervals {
		p.interval = i
		results.Record(p.actual, 1000)
		results.Record(p.ops[getHit], 2000)
		c.merge(p)
		p.reset()
	}
	if c.width != 8 || len(c.slots) != (intervals+7)/8 {
		t.Errorf("%d slots of %d intervals", len(c.slots), c.width)
	}
	for i, s := range c.slots[:len(c.slots)-1] {
		if s.actual.TotalCount() != 8 || s.ops[getHit].TotalCount() != 8 {
			t.Errorf("slot %d holds %d and %d, want 8", i, s.ops[getHit].TotalCount(), s.actual.TotalCount())
		}
	}
	intended, actual := c.totals()
	if intended.TotalCount() != intervals || actual.TotalCount() != intervals {
		t.Errorf("%d and %d in total, want %d", intended.TotalCount(), actual.TotalCount(), intervals)
	}
}

func TestIntervals(t *testing.T) {
	start := time.Unix(1000, 0)
	c := recordAll(true, int64(time.Millisecond), []int64{0, 1, 5_000_000})
	list := c.intervals(start, time.Millisecond, 5500*time.Microsecond)
	last := list[len(list)-1]
	if len(list)%2 != 0 || last.Tag != results.TagActual || !list[0].Start.Equal(start) {
		t.Errorf("%d intervals, the first from %v, the last %q", len(list), list[0].Start, last.Tag)
	}
	for _, iv := range list {
		length := time.Millisecond
		if iv.Start.Sub(start) == 5*time.Millisecond {
			length /= 2 // the period ends
		}
		if iv.End.Sub(iv.Start) != length || iv.Histogram.TotalCount() == 0 {
			t.Errorf("interval %v to %v holds %d", iv.Start, iv.End, iv.Histogram.TotalCount())
		}
	}
	if _, err := results.EncodeHlog(list); err != nil {
		t.Error(err)
	}
}

func TestRecorderCountsWhatItClamps(t *testing.T) {
	full := make(chan *histPair, pairsPerThread(true))
	rec := newRecorder(loop(true), full, 0, int64(time.Hour))
	rec.record(1, results.HistogramHighestNs+1, 5, hits(4)) // too long
	rec.record(1, 5, -1, hits(2))                           // before it was sent
	if rec.clamped != 6 {
		t.Errorf("%d clamped, want 6", rec.clamped)
	}
	if rec.pair.ops[getHit].TotalCount() != 6 || rec.pair.actual.TotalCount() != 6 {
		t.Error("clamped latencies are not recorded")
	}
}

// TestRecorderKeepsTwoIntervalsOpen: answers of several connections overtake each other.
func TestRecorderKeepsTwoIntervalsOpen(t *testing.T) {
	full := make(chan *histPair, pairsPerThread(true))
	rec := newRecorder(loop(true), full, 1000, 1000)
	rec.wait = true
	c := newCollector(true, nil)
	go c.run(full)
	for _, ns := range []int64{1000, 2500, 1999, 3000, 2999, 1500, 4000, 2000, 3999} {
		rec.record(ns, 2000, 1000, hits(1))
	}
	rec.finish()
	close(full)
	<-c.done
	for i, want := range []int64{3, 3, 2, 1} {
		if got := c.slots[i].ops[getHit].TotalCount(); got != want {
			t.Errorf("interval %d has %d latencies, want %d", i, got, want)
		}
	}
}
