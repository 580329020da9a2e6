package probe

import (
	"context"
	"time"

	"dpukv/kvs"
	"dpukv/results"
)

// Kind is a kind of measurement.
type Kind struct {
	Name  string // in sweep files and points: "memory"
	Title string // in tables and figures: "memory"
	Axes  []Axis
	// Figures are what a point of the kind may have. The first one is the main figure.
	Figures []Figure
	// Pair reports that the kind measures a path: it has a server and a client.
	Pair bool
	// Verbs reports that both ends need an RDMA device.
	Verbs bool

	// Uses reports whether settings with the values of the axes before it use an axis. Others are
	// left out of the settings. nil: all are used.
	Uses func(before Settings, axis string) bool
	// Check refuses settings that can't be measured anywhere, or that contradict one another.
	Check func(Settings) error
	// Examine refuses settings that this machine can't measure, before anything starts: a missing
	// program, too little memory. server tells which end of a pair this machine is.
	Examine func(s Settings, server bool) error
	// ExamineDevice refuses an RDMA device that this machine can't open. nil: the kind needs none.
	ExamineDevice func(kvs.Device) error
	// Expect is the expected time of a point, set-up included.
	Expect func(s Settings, warmup, duration time.Duration) time.Duration
	// Threads is the number of threads that an end of the kind keeps busy, of at most as many CPUs
	// as the node may use; 0: all of them.
	Threads func(s Settings, server bool) int

	// Serve starts the server of a pair. It is up when Serve returns.
	Serve func(context.Context, *Task) (Server, error)
	// Measure measures, as the client of a pair or alone.
	Measure func(context.Context, *Task) (*Outcome, error)
}

// Task is what a node has to do.
type Task struct {
	Settings Settings      `json:"settings"`
	CPUs     []int         `json:"cpus,omitempty"` // the process is pinned to them
	Warmup   time.Duration `json:"warmup"`
	Duration time.Duration `json:"duration"`
	Seed     uint64        `json:"seed"`
	// Listen is the address that a server takes: HOST:0, or HOST:FIRST-LAST.
	Listen string `json:"listen,omitempty"`
	// Addr is the server's address, as [Server.Addr] returns it.
	Addr   string     `json:"addr,omitempty"`
	Device kvs.Device `json:"device,omitzero"` // of an end over verbs
	// Began is called when the measurement period begins; nil: nobody asks. It may be late by a few
	// milliseconds.
	Began func() `json:"-"`
}

// Server is the server of a pair.
type Server interface {
	Addr() string // for the client's task; it may name several ports
	// Facts are what the server used.
	Facts() map[string]string
	// Moved is the traffic so far, by this machine's kernel. It is empty if unknown.
	Moved() kvs.Moved
	// CPUNs is the CPU time so far of the processes that serve.
	CPUNs() int64
	// Wait returns when the server ends by itself.
	Wait() error
	Close() error
}

// Outcome is what a point of a kind measured.
type Outcome struct {
	StartedAt time.Time     `json:"started_at"` // of the measurement period
	Duration  time.Duration `json:"duration"`
	// Figures are by the names of [Kind.Figures]. A figure that was not measured is absent.
	Figures map[string]float64 `json:"figures"`
	// Facts are what was used: "kernel": "avx2", "pages": "thp-2m". A value that differs from the
	// setting of the same name fails the point.
	Facts    map[string]string `json:"facts,omitempty"`
	Warnings []string          `json:"warnings,omitempty"`
	// Intervals are histograms in nanoseconds, with the tag [results.TagActual], and in an open
	// loop also [results.TagIntended].
	Intervals []results.Interval `json:"-"`
	Transport string             `json:"transport,omitempty"` // "tcp", "rdma"; "": none
	Provider  string             `json:"provider,omitempty"`  // of verbs
	Emulated  bool               `json:"emulated,omitempty"`  // software replaces a part
	CPUs      []int              `json:"cpus,omitempty"`      // pinned CPUs
	CPUNs     int64              `json:"cpu_ns,omitempty"`    // CPU time of this end in the period
	// Moved is the client's traffic of the load, by its kernel; zero: unknown.
	Moved kvs.Moved `json:"moved,omitzero"`
}

// Figure is one measured figure.
type Figure struct {
	Name   string  // with the unit at its end: "latency_ns", "bytes_per_s"
	Title  string  // in words, with the unit of Shown: "latency, ns"
	Factor float64 // shown = value × Factor; 0: 1
}
