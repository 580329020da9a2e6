package rr

import (
	"fmt"
	"time"

	"dpukv/internal/admission"
	"dpukv/internal/cpu"
	"dpukv/internal/field"
	"dpukv/probe"
)

const (
	// MaxBytes is the largest message.
	MaxBytes = 64 << 10
	// MaxConnections is the largest number of connections of a point.
	MaxConnections = 4096
	// maxRate is beyond any machine. The gap of a Poisson process stays finite.
	maxRate = 1_000_000_000
)

// Names of axes.
const (
	axisBytes       = "bytes"
	axisConnections = "connections"
	axisRate        = "rate"
)

// Axes returns the axes of request-response.
func Axes() []probe.Axis {
	return []probe.Axis{
		{
			Name: axisBytes, Help: "size of a message and of its answer, in bytes",
			Default: []string{"64"},
			Codec:   field.Whole(1, MaxBytes).Texts(),
		},
		{
			Name: axisConnections, Help: "TCP connections, each with one message in flight",
			Default: []string{"1"},
			Codec:   field.Whole(1, MaxConnections).Texts(),
		},
		{
			Name: axisRate, Help: "messages a second in an open loop (Poisson); 0: closed loop",
			Default: []string{"0"},
			Codec:   field.Whole(0, maxRate).Texts(),
		},
	}
}

// Names of figures.
const (
	figureMean = "mean_latency_ns"
	figureP50  = "p50_latency_ns"
	figureP99  = "p99_latency_ns"
	figureP999 = "p999_latency_ns"
	figureRate = "transactions_per_s"
)

// Figures returns the figures of request-response. Those of CPU time are the kind's.
func Figures() []probe.Figure {
	return []probe.Figure{
		latency(figureP50, "50th percentile"), latency(figureMean, "mean"),
		latency(figureP99, "99th percentile"), latency(figureP999, "99.9th percentile"),
		{Name: figureRate, Title: "transactions/s"},
	}
}

// latency is of the time from a message's send to its whole answer; in an open loop, from the
// intended send.
func latency(name, of string) probe.Figure {
	return probe.Figure{
		Name: name, Title: of + " of the latency, µs", Factor: 1e-3,
	}
}

// Threads returns the number of threads that an end has use for. It has no more than its CPUs.
func Threads(s probe.Settings, _ bool) int { return s.Int(axisConnections) }

// Examine refuses settings for which this process has too few descriptors.
func Examine(s probe.Settings, _ bool) error {
	files, err := admission.ForFiles()
	if err != nil {
		return err
	}
	if n := s.Int(axisConnections); n+doorExtra > files {
		return fmt.Errorf("connections: found %d, allowed: up to %d, by three quarters of the "+
			"files that this process may open; raise ulimit -n", n, files-doorExtra)
	}
	return nil
}

// Expect returns the expected time of a point, set-up included.
func Expect(_ probe.Settings, warmup, duration time.Duration) time.Duration {
	return time.Second + warmup + duration
}

// options are a task's settings as numbers.
type options struct{ bytes, connections, rate int }

func optionsOf(s probe.Settings) (options, error) {
	s, err := s.Complete(Axes())
	if err != nil {
		return options{}, err
	}
	return options{s.Int(axisBytes), s.Int(axisConnections), s.Int(axisRate)}, nil
}

// seats returns the CPU of each thread; -1: not pinned.
func (o *options) seats(cpus []int) ([]int, error) {
	pinned := len(cpus) > 0
	if !pinned {
		allowed, err := cpu.Allowed()
		if err != nil {
			return nil, err
		}
		cpus = allowed
	}
	if err := cpu.MayUse(cpus); err != nil {
		return nil, err
	}
	list := make([]int, min(len(cpus), o.connections))
	for i := range list {
		list[i] = -1
		if pinned {
			list[i] = cpus[i]
		}
	}
	return list, nil
}
