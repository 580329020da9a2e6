package client

import "time"

// Phase is a part of a run.
type Phase string

// The phases, in their order.
const (
	PhaseOpen    Phase = "open"    // the threads' sessions
	PhasePreload Phase = "preload" // every key is set once
	PhaseVerify  Phase = "verify"  // keys are asked for and their values checked
	PhaseReady   Phase = "ready"   // the caller's OnReady has the word
	PhaseMeasure Phase = "measure" // warm-up, measurement period, drain
	PhaseDone    Phase = "done"    // the caller's OnDone has the word
	// PhaseHash is that of Config.CheckHash: the load as it is, in turn with the load with hashing
	// done beforehand.
	PhaseHash Phase = "hash"
)

// Progress is how far a run has come.
type Progress struct {
	Phase Phase
	// Done and Total count the keys of a preload or verify phase.
	Done, Total uint64
	// Elapsed, ThroughputOps and the latencies are of the measurement period's last
	// whole interval, as far as all threads have reported it.
	Elapsed       time.Duration // from the window's start to the interval's end
	ThroughputOps float64
	P50Ns, P99Ns  int64 // latency from the actual send
}
