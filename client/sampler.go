package client

import (
	"context"
	"fmt"
	"time"

	"dpukv/client/quota"
	"dpukv/internal/cpu"
	"dpukv/internal/energy"
	"dpukv/kvs"
)

// sampler takes a sample at the begin of the measurement period and one at its end, outside the
// threads.
type sampler struct {
	remote     kvs.Remote
	moved      func() kvs.Moved // by the client so far
	answers    func() uint64    // to the load so far
	timeout    time.Duration
	asks       time.Duration // between questions that find a server gone; 0: answers tell it
	cpus       []int         // that the threads are pinned to
	serverCPUs []int         // of this machine, that the server is pinned to
	begin, end sample
	// hashing is the profile between the two. Loads that hash nothing have it, too: all cost alike.
	hashing hashProfile
}

// run samples at the period's begin and end. With a quota, the period ends when that is over.
func (s *sampler) run(ctx context.Context, p period, q *quota.Quota) (err error) {
	var over <-chan struct{}
	if q != nil {
		over = q.Over()
	}
	if s.begin, err = s.at(ctx, p.fromNs, over); err != nil {
		return err
	}
	s.hashing.start()
	defer s.hashing.stop()
	if s.asks > 0 {
		if err := s.askOften(ctx, p.toNs, over); err != nil {
			return err
		}
	}
	end, err := s.at(ctx, p.toNs, over)
	if err == nil {
		s.end = end
	}
	return err
}

// askOften asks a server from time to time until just before the period's end. Clients that READ
// items get answers from a server that stands still, too.
func (s *sampler) askOften(ctx context.Context, toNs int64, over <-chan struct{}) error {
	ticker := time.NewTicker(s.asks)
	defer ticker.Stop()
	for cpu.NowNs()+int64(s.asks) < toNs {
		select {
		case <-ctx.Done():
			return errStopped
		case <-over:
			return nil
		case <-ticker.C:
		}
		if _, err := s.stats(ctx); err != nil {
			return err
		}
	}
	return nil
}

// at takes a sample at a time on the monotonic clock, or before if over is closed.
func (s *sampler) at(ctx context.Context, ns int64, over <-chan struct{}) (sample, error) {
	timer := time.NewTimer(time.Duration(ns - cpu.NowNs()))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return sample{}, errStopped
	case <-timer.C:
	case <-over:
	}
	processNs, cpus, before := cpu.ProcessNs(), cpu.OccupiedBy(s.cpus), cpu.NowNs()
	got := answered{before: s.answers()}
	stats, err := s.stats(ctx)
	got.after = s.answers()
	moved := s.moved() // a proxy's part is that of the stats
	at, own := (before+cpu.NowNs())/2, energy.Read()
	if len(stats.Parts) == 0 { // maybe a server that is not dpukv
		if stats.CPUs == (cpu.Occupied{}) {
			stats.CPUs = cpu.OccupiedBy(s.serverCPUs)
		}
		if stats.Energy == nil && len(s.serverCPUs) > 0 { // on this machine
			stats.Energy = own
		}
	}
	return sample{at, processNs, cpus, own, moved, stats, got}, err
}

// stats asks the server, and waits no longer than for any other answer. An abandoned Stats call
// ends when the caller closes the remote.
func (s *sampler) stats(ctx context.Context) (kvs.Stats, error) {
	type reply struct {
		stats kvs.Stats
		err   error
	}
	replies := make(chan reply, 1)
	go func() {
		stats, err := s.remote.Stats()
		if err == nil {
			err = stats.Check()
		}
		replies <- reply{stats, err}
	}()
	timer := time.NewTimer(s.timeout)
	defer timer.Stop()
	select {
	case r := <-replies:
		return r.stats, r.err
	case <-ctx.Done():
		return kvs.Stats{}, errStopped
	case <-timer.C:
		return kvs.Stats{}, fmt.Errorf("the server sent no statistics within %v: check that it "+
			"runs and can be reached", s.timeout)
	}
}
