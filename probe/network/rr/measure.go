package rr

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"dpukv/internal/cpu"
	"dpukv/probe"
)

const (
	// lead is the time from the last preparation to the first message.
	lead = 5 * time.Millisecond
	// grace is how long late answers may come after the period.
	grace = time.Second
)

// client is a measurement.
type client struct {
	options
	task    *probe.Task
	seats   []int // the CPU of each thread
	conns   []*conn
	threads []*thread
	stop    atomic.Bool
	fromNs  int64
	toNs    int64
	start   time.Time // of the measurement period

	cpuNs int64 // of this process, in the measurement period
}

// Measure measures as the client of a server that listens at the task's address.
func Measure(ctx context.Context, t *probe.Task) (*probe.Outcome, error) {
	o, err := optionsOf(t.Settings)
	if err != nil {
		return nil, err
	}
	if t.Duration <= 0 || t.Warmup < 0 {
		return nil, fmt.Errorf("duration: found %v after a warm-up of %v, allowed: more than 0",
			t.Duration, t.Warmup)
	}
	c := &client{options: o, task: t}
	if c.seats, err = o.seats(t.CPUs); err != nil {
		return nil, err
	}
	addProcessors(len(c.seats))
	defer addProcessors(-len(c.seats))
	if c.conns, err = dial(ctx, t.Addr, &o); err != nil {
		return nil, err
	}
	out, err := c.measure(ctx)
	return out, errors.Join(err, closeAll(c.conns))
}

func (c *client) measure(ctx context.Context) (*probe.Outcome, error) {
	c.prepare()
	done := make(chan error, len(c.threads))
	for i, t := range c.threads {
		go func() { done <- c.thread(t, c.seats[i]) }()
	}
	defer context.AfterFunc(ctx, func() { c.stop.Store(true) })()
	failed := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() { c.watch(failed) })
	var errs []error
	for range c.threads {
		if err := <-done; err != nil {
			if !c.stop.Swap(true) || !errors.Is(err, errStopped) {
				errs = append(errs, err)
			}
		}
	}
	close(failed)
	watching.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("server %s: %w", c.task.Addr, err)
	}
	return c.outcome(), nil
}

// prepare spreads the connections over the threads, and sets the times.
func (c *client) prepare() {
	threads := len(c.seats)
	of := make([][]*conn, threads)
	for i, one := range c.conns {
		one.seat = len(of[i%threads])
		of[i%threads] = append(of[i%threads], one)
	}
	intervals, open := intervalsOf(c.task.Duration, threads), c.rate > 0
	records := make([]*record, threads)
	for i := range records { // their memory takes time
		records[i] = newRecord(open, 0, int64(c.task.Duration), intervals)
	}
	startNs := cpu.NowNs() + int64(lead)
	c.fromNs = startNs + int64(c.task.Warmup)
	c.toNs = c.fromNs + int64(c.task.Duration)
	c.start = time.Now().Add(lead + c.task.Warmup)
	for i, own := range of {
		records[i].fromNs, records[i].toNs = c.fromNs, c.toNs
		t := &thread{
			conns: own, free: make([]*conn, len(own)), record: records[i], stop: &c.stop,
			toNs: c.toNs, graceNs: c.toNs + int64(grace),
		}
		if open {
			share := float64(c.rate) * float64(len(own)) / float64(len(c.conns))
			t.arrivals = newArrivals(c.task.Seed, i, share, startNs)
		}
		c.threads = append(c.threads, t)
	}
}

// thread runs one thread. Its OS thread ends with it.
func (c *client) thread(t *thread, on int) error {
	if err := lockThread(on); err != nil {
		return err
	}
	k, err := newLinux(t.conns, t.arrivals != nil)
	if err != nil {
		return err
	}
	t.system = k
	return errors.Join(t.run(), k.close())
}

// watch measures the CPU time of the measurement period, unless a thread fails before its end.
func (c *client) watch(failed <-chan struct{}) {
	if !sleepUntil(c.fromNs, failed) {
		return
	}
	atNs, cpuNs := cpu.NowNs(), cpu.ProcessNs()
	if c.task.Began != nil {
		c.task.Began()
	}
	if !sleepUntil(c.toNs, failed) && cpu.NowNs() < c.toNs {
		return
	}
	spent, passed := cpu.ProcessNs()-cpuNs, cpu.NowNs()-atNs
	// Both looks may be late, by times that differ.
	c.cpuNs = int64(float64(spent) * float64(c.task.Duration) / float64(passed))
}

func sleepUntil(atNs int64, stop <-chan struct{}) bool {
	timer := time.NewTimer(time.Duration(atNs - cpu.NowNs()))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-stop:
		return false
	}
}
