package dma

import (
	"errors"
	"fmt"
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/field"
	"dpukv/internal/offheap"
	"dpukv/probe"
)

// Values of the axes.
const (
	latency, throughput = "latency", "throughput"
	read, write         = "read", "write"
	poll, event         = "poll", "event"
)

// maxBytes is the largest copy: the study's.
const maxBytes = 8 << 20

// setUp is the expected time for the memory and the comparison.
const setUp = time.Second

// Kind is the kind "dma".
var Kind = probe.Kind{
	Name: "dma", Title: "DMA",
	Axes: []probe.Axis{
		{
			Name: "test", Help: "a copy at a time, or a batch in flight",
			Default: []string{latency, throughput},
			Codec:   field.Word([]string{latency, throughput}),
		},
		{
			Name: "engine", Help: "who copies: " + engineHelp,
			Default: []string{"cpu"}, Codec: field.Word(engineNames()),
		},
		{
			Name: "op", Help: "direction: into a region larger than the caches, or from it",
			Default: []string{write},
			Codec:   field.Word([]string{write, read}),
		},
		{
			Name: "completion", Help: "the initiator polls, or sleeps until an event",
			Default: []string{poll},
			Codec:   field.Word([]string{poll, event}),
		},
		{
			Name: "bytes", Help: "size of a copy",
			Default: []string{"64", "1048576"},
			Codec:   field.Whole(1, maxBytes).Texts(),
		},
		{
			Name: "batch", Help: "copies in flight", Default: []string{"1024"},
			Codec: field.Whole(1, maxBatch).Texts(),
		},
	},
	Figures: []probe.Figure{
		{Name: "mean_latency_ns", Title: "mean latency, µs", Factor: 1e-3},
		{Name: "bytes_per_s", Title: "throughput, GB/s", Factor: 1e-9},
		{Name: "copies_per_s", Title: "Mcopies/s", Factor: 1e-6},
		{Name: "core_share", Title: "core use, %", Factor: 100},
		{Name: "p50_latency_ns", Title: "median latency, µs", Factor: 1e-3},
		{Name: "p99_latency_ns", Title: "p99 latency, µs", Factor: 1e-3},
	},
	Uses: func(before probe.Settings, axis string) bool {
		return axis != "batch" || before.Get("test") == throughput
	},
	Examine: examine,
	Expect: func(_ probe.Settings, warmup, duration time.Duration) time.Duration {
		return setUp + warmup + duration
	},
	Threads: threads,
	Measure: measure,
}

// maxBatch is the largest number of copies in flight.
const maxBatch = 4096

// threads counts the initiator's thread, and the one that copies in place of an engine.
func threads(s probe.Settings, _ bool) int {
	if s.Get("engine") == "cpu" && s.Get("completion") == event {
		return 2
	}
	return 1
}

// examine refuses what this machine can't measure.
func examine(s probe.Settings, _ bool) error {
	size := s.Int("bytes")
	if err := offheap.Fits(int64(size+farBytes(size)), offheap.Auto); err != nil {
		return fmt.Errorf("dma: %w", err)
	}
	if s.Get("engine") == engineMLX5 {
		if err := examineMLX5(); err != nil {
			return fmt.Errorf("engine: found mlx5, allowed here: cpu (%w)", err)
		}
	}
	if threads(s, false) == 2 {
		if allowed, err := cpu.Allowed(); err == nil && len(allowed) < 2 {
			return errOneCPU
		}
	}
	return nil
}

var errOneCPU = errors.New("completion: found event with engine cpu on one CPU, allowed: two " +
	"CPUs, as one thread copies and another waits; or completion poll")
