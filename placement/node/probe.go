package node

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"dpukv/client"
	"dpukv/internal/cpu"
	"dpukv/internal/ports"
	"dpukv/probe"
	"dpukv/probe/probes"
	"dpukv/results"
)

// examine answers whether probes can be measured here.
func examine(m *Examine) *Examined {
	answer := &Examined{Errors: make([]string, len(m.Probes))}
	for i := range m.Probes {
		answer.Errors[i] = text(m.Probes[i].examine())
	}
	return answer
}

func (s *ProbeSpec) examine() error {
	kind, err := probes.Named(s.Kind)
	if err != nil {
		return err
	}
	if s.Server && strings.Contains(s.Listen, "-") { // a range of ports
		l, err := ports.Listen(s.Listen)
		if err != nil {
			return err
		}
		l.Close()
	}
	if kind.ExamineDevice != nil {
		if err := kind.ExamineDevice(s.Device); err != nil {
			return err
		}
	}
	if kind.Examine == nil {
		return nil
	}
	return kind.Examine(s.Settings, s.Server)
}

// probe does this node's part of a probe.
func (a *agent) probe(ctx context.Context, cpus []int, s *ProbeSpec) error {
	kind, err := probes.Named(s.Kind)
	if err != nil {
		return err
	}
	s.CPUs = cpus
	if err := cpu.Prepare(cpus, max(len(cpus), 1)); err != nil {
		return err
	}
	if s.Server {
		return a.serveProbe(ctx, kind, &s.Task)
	}
	return a.measureProbe(ctx, kind, &s.Task)
}

// serveProbe runs the server of a pair until the order to stop.
func (a *agent) serveProbe(ctx context.Context, kind *probe.Kind, task *probe.Task) error {
	srv, err := kind.Serve(ctx, task)
	if err != nil {
		return err
	}
	broken := make(chan error, 1)
	go func() { broken <- cmp.Or(srv.Wait(), errors.New("it ended before it was told to")) }()
	err = a.out.Send(&ProbeReady{srv.Addr(), srv.Facts()})
	if err == nil {
		err = a.answerCounts(ctx, broken, func() *Counted {
			return &Counted{Moved: srv.Moved(), CPUNs: srv.CPUNs()}
		})
	}
	return errors.Join(err, srv.Close())
}

// measureProbe measures, once the order to go comes.
func (a *agent) measureProbe(ctx context.Context, kind *probe.Kind, task *probe.Task) error {
	if err := a.out.Send(&ProbeReady{}); err != nil {
		return err
	}
	if _, err := await[*Begin](ctx, a); err != nil {
		return err
	}
	measuring := func() {}
	if !kind.Pair { // whose client may poll for its server
		measuring = a.prepares()
	}
	defer measuring()
	task.Began = func() {
		measuring()
		// If it is lost, the result cannot be sent either, and that error shows.
		_ = a.out.Send(&Progress{Phase: string(client.PhaseMeasure)})
	}
	outcome, err := kind.Measure(ctx, task)
	if err != nil {
		return err
	}
	res := &ProbeResult{Outcome: *outcome}
	if outcome.Intervals != nil {
		if res.Hlog, err = results.EncodeHlog(outcome.Intervals); err != nil {
			return err
		}
	}
	return a.out.Send(res)
}

// prepares tells now and then how much CPU time a set-up has used, until the returned function is
// called. Memory takes a minute for some gigabytes on an emulated DPU, or for a quarter of a
// terabyte on a host. Its process is not taken for a hung one. It is not for what polls for a peer:
// that would never count as hung.
func (a *agent) prepares() (end func()) {
	const unit = int64(100 * time.Millisecond) // the look itself uses less
	stop, tick := make(chan struct{}), time.NewTicker(10*time.Second)
	var teller sync.WaitGroup
	teller.Go(func() {
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				_ = a.out.Send(&Progress{Phase: "prepare", Done: uint64(cpu.ProcessNs() / unit)})
			}
		}
	})
	return sync.OnceFunc(func() { close(stop); teller.Wait() })
}
