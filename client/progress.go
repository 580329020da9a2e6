package client

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Phase is a part of a run.
type Phase string

// The phases, in their order.
const (
	PhaseTrace   Phase = "trace"   // the digest of a large file
	PhaseOpen    Phase = "open"    // the threads' sessions
	PhasePreload Phase = "preload" // every key is set once
	PhaseVerify  Phase = "verify"  // keys are asked for and their values checked
	PhaseOverlap Phase = "overlap" // Load.Compute: the share of the communication that it hides
	PhaseReady   Phase = "ready"   // the caller's OnReady runs
	PhaseMeasure Phase = "measure" // warm-up, measurement period, cool-down, drain
	PhaseDone    Phase = "done"    // the caller's OnDone runs
	// PhaseHash is the phase of Config.CheckHash. It alternates the load as it is with the load
	// without hashing.
	PhaseHash Phase = "hash"
)

// Progress tells how far a run has come.
type Progress struct {
	Phase Phase
	// Done and Total count the keys of a preload or verify phase, or the bytes of a trace.
	Done, Total uint64
	// Elapsed, ThroughputOps and the latencies belong to the last whole interval of the measurement
	// period that all threads have reported.
	Elapsed       time.Duration // from the measurement period's start to the interval's end
	ThroughputOps float64
	P50Ns, P99Ns  int64 // latency from the actual send
	Interval      time.Duration
	// Latencies are those of the interval, from the actual send. They are valid until OnProgress
	// returns.
	Latencies *hdrhistogram.Histogram
	Errors    uint64 // of the run so far: wrong answers and failed operations
}
