package client

import (
	"strings"
	"testing"
	"time"

	"dpukv/results"
)

// TestPointHasIntervalsAndDrift: each of twenty intervals answers less than the one before, at more
// latency.
func TestPointHasIntervalsAndDrift(t *testing.T) {
	const n = 20
	c := newCollector(false, nil)
	for i := range n {
		p := newHistPair(loop(false), nil)
		p.interval = i
		_ = p.ops[getHit].RecordValues(int64(1e5+1e4*i), int64(1000-20*i))
		c.merge(p)
	}
	cfg := Config{Duration: n * DefaultInterval, Interval: DefaultInterval, Threads: 1}
	r := &loadRun{cfg: cfg, pool: &threadPool{}, collector: c, startedAt: time.Unix(1000, 0)}
	p := r.result(nil).Point
	i := p.LatencyInterval
	if i.P50LoNs >= p.P50Ns || i.P50HiNs != 0 || i != p.ActualInterval { // what drifts has no high end
		t.Errorf("the median is %d, its interval %+v, of the actual send %+v", p.P50Ns, i, p.ActualInterval)
	}
	all := p.Warnings.String()
	for _, want := range []string{"drift: the throughput fell by ", "drift: the median latency rose by "} {
		if !strings.Contains(all, want) {
			t.Errorf("found no %q in %q", want, all)
		}
	}
	if validity := (&results.Mark{Repeats: []*results.Point{&p}}).Validity(); len(validity) != 2 {
		t.Errorf("%q concern the validity, want both drifts", validity)
	}
}
