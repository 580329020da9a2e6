package client

import (
	"dpukv/client/compute"
	"dpukv/internal/cpu"
	"dpukv/internal/numfmt"
	"dpukv/kvs"
	"dpukv/results"
)

// work is what a thread computes; a [compute.Loop], except in simulations.
type work interface{ Do(ns int64) }

// computing is the state of a thread that computes after each batch.
type computing struct {
	eachNs  int64 // after a batch; 0: the thread computes nothing
	batched int   // operations sent since the last compute
	leftNs  int64 // of the compute that is due or under way
	computed
}

// computed is the compute that a thread has done.
type computed struct {
	count  uint64 // whole ones
	doneNs int64  // as the time that the work takes alone
	tookNs int64  // on the clock
	cpuNs  int64  // without the time in which the thread was preempted
}

func (c *computed) add(o computed) {
	c.count += o.count
	c.doneNs += o.doneNs
	c.tookNs += o.tookNs
	c.cpuNs += o.cpuNs
}

func (c computed) since(o computed) computed {
	return computed{c.count - o.count, c.doneNs - o.doneNs, c.tookNs - o.tookNs, c.cpuNs - o.cpuNs}
}

// stretch is the time of the compute over the time that it takes alone.
func (c computed) stretch() float64 { return float64(c.tookNs) / float64(max(c.doneNs, 1)) }

// cost puts the compute of the measurement period into the point.
func (c computed) cost(p *results.Point, ops uint64) {
	if c.doneNs == 0 || ops == 0 {
		return
	}
	p.ComputeMeanNs = float64(p.Compute) * c.stretch()
	p.ComputeCPUNsPerOp = float64(c.cpuNs) / float64(ops)
}

// sent counts an operation. A compute is due after the last one of a batch.
func (c *computing) sent(batch int) {
	if c.eachNs == 0 {
		return
	}
	if c.batched++; c.batched == batch {
		c.batched, c.leftNs = 0, c.eachNs
	}
}

// compute does a part of the work that is due: it ends with the warm-up or the measurement period,
// for their marks. After the last part, it takes the answers that have arrived.
func (l *loader) compute(nowNs int64) error {
	c := &l.computing
	part := min(c.leftNs, int64(l.untilMark(nowNs, maxWait)))
	l.work.Do(part)
	took := l.now() - nowNs
	c.leftNs -= part
	c.doneNs += part
	c.tookNs += took
	if took > part+int64(cpu.Preempted) { // by interrupts, other programs, or a hypervisor
		took = part
	}
	c.cpuNs += took
	if c.leftNs > 0 {
		return nil
	}
	c.count++
	err := l.receive(0)
	if len(l.answers) > 0 {
		l.schedule.unflushed = true
	}
	return err
}

// shareOf returns a time of all threads over the wall time of their CPUs.
func (r *loadRun) shareOf(ns int64) float64 {
	if r.cfg.Duration < leastShared {
		return 0
	}
	return float64(max(ns, 0)) / (float64(r.cfg.Duration) * float64(r.clientCPUs()))
}

// busyNs is the threads' CPU time for the store: without spinning, and without the compute.
func (s *summed) busyNs() int64 { return s.cpuNs - s.spunNs - s.computed.cpuNs }

// computeBound warns of a load whose pace the application sets.
func (r *loadRun) computeBound(s summed) results.Warning {
	all, store := r.shareOf(s.cpuNs-s.spunNs), r.shareOf(s.busyNs())
	if s.computed.count == 0 || all <= boundShare || store > boundShare {
		return results.Warning{}
	}
	return results.ComputeBound.Warn("the client's threads used %.0f %% of their CPUs' time "+
		"(limit: %.0f %%), %.0f %% for the compute of %s per batch. A faster server would look "+
		"the same", 100*all, 100*boundShare, 100*(all-store),
		numfmt.Duration(r.cfg.Compute))
}

// slowCompute is the share of a compute that it may take longer than alone.
const slowCompute = 0.1

// computeSlow warns of a compute that others delayed.
func (r *loadRun) computeSlow(p *results.Point) results.Warning {
	if p.ComputeMeanNs <= float64(r.cfg.Compute)*(1+slowCompute) {
		return results.Warning{}
	}
	return results.ComputeSlowed.Warn("a compute took %s in the mean, %s alone (limit: %.0f %% "+
		"more). Interrupts or other programs used the client's CPUs, or their clock changed",
		numfmt.Nanoseconds(p.ComputeMeanNs), numfmt.Duration(r.cfg.Compute), 100*slowCompute)
}

// overlapper is a thread that measures its overlap. It has one batch in flight at most.
type overlapper struct {
	*loader
	overlap results.Overlap
}

func newOverlapper(t *thread) *overlapper {
	o := &overlapper{}
	o.loader = newAside(t, o.next)
	return o
}

// next makes the next request of the workload. A SET repeats the preload's value, as other clients
// may still verify it.
func (o *overlapper) next() {
	key, get := o.gen.Next()
	if get {
		o.prepare(kvs.Get, key)
		return
	}
	o.prepare(kvs.Set, key)
	o.value(key, 0)
}

// Send sends one batch.
func (o *overlapper) Send() error {
	for left := o.cfg.Batch; left > 0; {
		taken, err := o.sendNext(0)
		if err != nil {
			return err
		}
		if taken {
			left--
			continue
		}
		if err := o.wait(); err != nil {
			return err
		}
	}
	return o.flush()
}

// Await waits until all answers are there.
func (o *overlapper) Await() error {
	for o.ages.total > 0 {
		if err := o.wait(); err != nil {
			return err
		}
	}
	return nil
}

func (o *overlapper) wait() error {
	if err := o.alive(o.now()); err != nil {
		return err
	}
	if err := o.flush(); err != nil {
		return err
	}
	return o.receive(maxWait)
}

// Do computes.
func (o *overlapper) Do(ns int64) { o.work.Do(ns) }

// Now reads the clock.
func (o *overlapper) Now() int64 { return o.now() }

// calibrate is different in a test.
var calibrate = func() work { return compute.Calibrate() }

// calibrated gives the thread its work.
func (t *thread) calibrated() error {
	if t.work == nil {
		t.work = calibrate()
	}
	return nil
}

// overlap measures the overlap of all threads at once. No thread begins while another calibrates. A
// trace has none: its batches, sent before their time, would change what its GETs find.
func (r *loadRun) overlap() error {
	err := r.pool.each((*thread).calibrated, r.cfg.Interval, nil)
	if err != nil || r.cfg.Replays() {
		return err
	}
	list := make([]*overlapper, len(r.pool.threads))
	err = r.pool.each(func(t *thread) (err error) {
		o := newOverlapper(t)
		list[t.id] = o
		o.overlap, err = compute.Measure(o)
		return err
	}, r.cfg.Interval, nil)
	if err != nil {
		return err
	}
	for _, o := range list {
		r.overlapped.add(o.outside)
		r.overlaps = append(r.overlaps, o.overlap)
	}
	if r.overlapped.errors > 0 {
		return r.wrongAnswers(r.overlapped)
	}
	return nil
}
