package client

import (
	"cmp"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dpukv/results"
)

// maxSlots bounds the memory for the intervals of a long run, to about 60 MB.
const maxSlots = 128

// collector merges the threads' records on a goroutine of its own. Once the intervals fill all
// slots, it merges the slots in pairs.
type collector struct {
	open  bool
	slots []slot
	width int // intervals per slot
	// report receives the histogram of an interval once a record of a later interval arrives. It
	// may be nil.
	report func(interval int, h *hdrhistogram.Histogram)
	newest int
	latest *hdrhistogram.Histogram // of the newest interval, to report
	done   chan struct{}
}

// slot holds all threads' latencies of width intervals, as [histPair] does.
type slot struct {
	ops    byKind
	actual *hdrhistogram.Histogram
}

// both returns both latencies. In a closed loop they share a histogram.
func (s *slot) both(open bool) (intended, actual *hdrhistogram.Histogram) {
	intended = s.ops.addTo(nil)
	if !open {
		return intended, intended
	}
	return intended, s.actual
}

func newCollector(open bool, report func(int, *hdrhistogram.Histogram)) *collector {
	c := &collector{open: open, width: 1, report: report, done: make(chan struct{})}
	if report != nil {
		c.latest = results.NewHistogram()
	}
	return c
}

// run merges until the channel is closed, and sends the histograms back.
func (c *collector) run(full <-chan *histPair) {
	defer close(c.done)
	for p := range full {
		c.progress(p)
		c.merge(p)
		p.reset()
		p.home <- p // has room for all pairs of its thread
	}
}

func (c *collector) merge(p *histPair) {
	for p.interval/c.width >= maxSlots {
		c.halve()
	}
	at := p.interval / c.width
	for len(c.slots) <= at {
		c.slots = append(c.slots, slot{})
	}
	s := &c.slots[at]
	s.ops.merge(&p.ops)
	s.actual = mergeInto(s.actual, p.actual)
}

// halve merges each slot with its neighbour.
func (c *collector) halve() {
	for i, s := range c.slots {
		if i%2 == 0 {
			c.slots[i/2] = s
			continue
		}
		into := &c.slots[i/2]
		into.ops.merge(&s.ops)
		into.actual = mergeInto(into.actual, s.actual)
	}
	c.slots = c.slots[:(len(c.slots)+1)/2]
	c.width *= 2
}

// mergeInto adds a histogram to another one of the same range, so that it drops no value.
func mergeInto(sum, h *hdrhistogram.Histogram) *hdrhistogram.Histogram {
	if h == nil {
		return sum
	}
	if sum == nil {
		sum = results.NewHistogram()
	}
	sum.Merge(h)
	return sum
}

// progress reports the newest interval when p belongs to a later one.
func (c *collector) progress(p *histPair) {
	if c.report == nil {
		return
	}
	if p.interval > c.newest {
		c.report(c.newest, c.latest)
		c.latest.Reset()
		c.newest = p.interval
	}
	if p.interval == c.newest {
		if c.open {
			c.latest = mergeInto(c.latest, p.actual)
		} else {
			c.latest = p.ops.addTo(c.latest)
		}
	}
}

// totals merges all intervals. In a closed loop, both results are the same histogram.
func (c *collector) totals() (intended, actual *hdrhistogram.Histogram) {
	all := c.all()
	intended, actual = all.both(c.open)
	none := results.NewHistogram()
	return cmp.Or(intended, none), cmp.Or(actual, none)
}

func (c *collector) all() (sum slot) {
	for i := range c.slots {
		sum.ops.merge(&c.slots[i].ops)
		sum.actual = mergeInto(sum.actual, c.slots[i].actual)
	}
	return sum
}

// intervals lists the nonempty slots of a measurement period, with both latencies of each, and with
// those of each kind of operation if they tell more. In a closed loop both share a histogram. The
// last interval ends with the period.
func (c *collector) intervals(start time.Time, interval, period time.Duration) []results.Interval {
	var list []results.Interval
	length := interval * time.Duration(c.width)
	all := c.all()
	several := all.ops.tell()
	for i := range c.slots {
		s := &c.slots[i]
		from := start.Add(time.Duration(i) * length)
		to := start.Add(min(time.Duration(i+1)*length, period))
		add := func(tag string, h *hdrhistogram.Histogram) {
			if h != nil && h.TotalCount() > 0 {
				list = append(list, results.Interval{Tag: tag, Start: from, End: to, Histogram: h})
			}
		}
		intended, actual := s.both(c.open)
		add(results.TagIntended, intended)
		add(results.TagActual, actual)
		for kind, h := range s.ops {
			if several && tags[kind] != "" {
				add(tags[kind], h)
			}
		}
	}
	return list
}
