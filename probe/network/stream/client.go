package stream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"dpukv/internal/foreign"
	"dpukv/internal/ports"
	"dpukv/internal/program"
	"dpukv/internal/tcpinfo"
	"dpukv/kvs"
	"dpukv/probe"
)

const (
	connectTimeout = 5 * time.Second
	finishTimeout  = 10 * time.Second // for the last bytes and the server's results
	// maxWarmup and maxDuration are iperf3's own limits.
	maxWarmup, maxDuration = 60 * time.Second, 24 * time.Hour
)

// client is a set of iperf3 clients.
type client struct {
	task           *probe.Task
	options        options
	program        iperf3
	host           string
	ports          ports.Range
	cpus           []int // one a process
	warmup, period time.Duration

	processes []*program.Process
	outputs   []*foreign.Output
	ended     chan int // numbers of processes
	traffic   *traffic

	firstAt, lastAt time.Time // when the first connection was up, and the last one
	startedAt       time.Time // of the period
	cpuNs           int64     // in the period
	moved           kvs.Moved
}

// Measure streams to or from the servers at the task's address.
func Measure(ctx context.Context, t *probe.Task) (*probe.Outcome, error) {
	c, err := newClient(t)
	if err != nil {
		return nil, err
	}
	err = c.run(ctx)
	if c.traffic != nil {
		c.moved = c.traffic.moved()
		c.traffic.close()
	}
	if err := errors.Join(err, stopAll(c.processes)); err != nil {
		return nil, fmt.Errorf("iperf3 to %s: %w", t.Addr, err)
	}
	return c.outcome()
}

func newClient(t *probe.Task) (*client, error) {
	c := &client{task: t, warmup: whole(t.Warmup), period: whole(t.Duration)}
	var err error
	if c.options, err = optionsOf(t.Settings); err != nil {
		return nil, err
	}
	if c.program, err = findIperf3(); err != nil {
		return nil, err
	}
	if c.cpus, err = seats(t.CPUs, c.options.cores); err != nil {
		return nil, err
	}
	if c.host, c.ports, err = ports.Split(t.Addr); err != nil {
		return nil, err
	}
	if c.ports.Any() || c.ports.Count() != c.options.cores {
		return nil, fmt.Errorf("address of the server: found %s, allowed: %d ports, one a core",
			t.Addr, c.options.cores)
	}
	if c.warmup > maxWarmup || c.period < time.Second || c.period > maxDuration {
		return nil, fmt.Errorf("times: found %v of warm-up and %v of measurement, allowed by "+
			"iperf3: up to %v, and up to %v", t.Warmup, t.Duration, maxWarmup, maxDuration)
	}
	c.ended = make(chan int, c.options.cores)
	return c, nil
}

// errTooEarly is the error of a client that succeeds before its connection was seen.
var errTooEarly = errors.New("a client ended before its measurement period")

// run starts the clients and waits for their ends.
func (c *client) run(ctx context.Context) error {
	for n := range c.cpus {
		if err := c.start(n); err != nil {
			return err
		}
	}
	c.traffic = watchTraffic(c.processes)
	if err := c.connected(ctx); err != nil {
		return err
	}
	left := len(c.processes)
	if err := c.wait(ctx, c.lastAt.Add(c.warmup), &left); err != nil {
		return err
	}
	c.startedAt = time.Now()
	before := cpuNs(c.processes)
	if c.task.Began != nil {
		c.task.Began()
	}
	if err := c.wait(ctx, c.startedAt.Add(c.period), &left); err != nil {
		return err
	}
	c.cpuNs = cpuNs(c.processes) - before
	c.traffic.sample()
	return c.finish(ctx, left)
}

func (c *client) start(n int) error {
	o := &c.options
	args := []string{
		"-c", c.host, "-p", strconv.Itoa(c.ports.First + n), "-J", "-i", "0",
		"-l", strconv.Itoa(o.write), "-t", strconv.Itoa(int(c.period.Seconds())),
		"--connect-timeout", strconv.Itoa(int(connectTimeout.Milliseconds())),
	}
	if c.warmup > 0 {
		args = append(args, "-O", strconv.Itoa(int(c.warmup.Seconds())))
	}
	if o.direction == down {
		args = append(args, "-R")
	}
	out := &foreign.Output{}
	p, err := program.Start(c.program.path, args, []int{c.cpus[n]}, out)
	if err != nil {
		return err
	}
	c.processes, c.outputs = append(c.processes, p), append(c.outputs, out)
	go func() {
		<-p.Ended()
		c.ended <- n
	}()
	return nil
}

// connected waits until each client has its connection for data beside the one for control.
func (c *client) connected(ctx context.Context) error {
	const both = 2
	deadline := time.Now().Add(connectTimeout + time.Second)
	for _, p := range c.processes {
		for {
			if n, err := tcpinfo.Sockets(p.PID()); err == nil && n >= both {
				break
			}
			if time.Now().After(deadline) {
				return fmt.Errorf("found no connection within %v", connectTimeout)
			}
			select {
			case n := <-c.ended:
				return cmp.Or(c.failure(n), errTooEarly)
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-time.After(askEvery):
			}
		}
		c.lastAt = time.Now()
		if c.firstAt.IsZero() {
			c.firstAt = c.lastAt
		}
	}
	return nil
}

// wait waits until a time. A client may end meanwhile if its own period is over.
func (c *client) wait(ctx context.Context, until time.Time, left *int) error {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		case n := <-c.ended:
			if err := c.failure(n); err != nil {
				return err
			}
			*left--
		}
	}
}

// finish waits until all clients have ended.
func (c *client) finish(ctx context.Context, left int) error {
	limit := time.After(finishTimeout)
	for ; left > 0; left-- {
		select {
		case n := <-c.ended:
			if err := c.failure(n); err != nil {
				return err
			}
		case <-limit:
			return fmt.Errorf("found no end within %v after the measurement period", finishTimeout)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// failure is why a client that has ended failed, or nil. iperf3 has the reason in its report, also
// with the exit status 0.
func (c *client) failure(n int) error {
	p := c.processes[n]
	if _, err := parseReport(c.outputs[n].Bytes(), &c.options, c.period); err != nil {
		if words := p.Output(); words != "" {
			err = fmt.Errorf("%w; its last output: %s", err, words)
		}
		return fmt.Errorf("client %d: %w", n, err)
	}
	if p.Err() != nil {
		return fmt.Errorf("client %d: %w", n, p.Reason())
	}
	return nil
}
