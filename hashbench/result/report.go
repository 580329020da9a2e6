package result

import (
	"time"

	"dpukv/internal/machine"
)

// Schema is the version of [Report]'s JSON.
//
// Version 1 subtracted an empty function's time from throughput. [Parse] adds it again.
const Schema = 2

// Kind identifies the kind of file, so that others are refused.
const Kind = "dpukv-hash"

// Report is one run on one machine.
type Report struct {
	Kind       string        `json:"kind"`
	Schema     int           `json:"schema"`
	Version    string        `json:"version"`    // of the program
	Provenance string        `json:"provenance"` // "measured"; no report has a model's figures
	StartedAt  time.Time     `json:"started_at"`
	DurationNs int64         `json:"duration_ns"`
	Machine    machine.Facts `json:"machine"`
	Clock      Clock         `json:"clock"`
	Seed       uint64        `json:"seed"` // seed of inputs, lengths and the order of rounds
	Rounds     int           `json:"rounds"`
	RoundNs    int64         `json:"round_ns"` // aimed at
	// RoundsCPUNs and RoundsWallNs are the sums over all rounds. Preemptions is how often the
	// kernel gave the CPU to another thread meanwhile. They are absent from an older build.
	RoundsCPUNs  int64 `json:"rounds_cpu_ns,omitempty"`
	RoundsWallNs int64 `json:"rounds_wall_ns,omitempty"`
	Preemptions  int64 `json:"preemptions,omitempty"`
	// Overheads are the loops' costs without a hash function. That of latency is already
	// subtracted. That of throughput is contained in the results.
	Overheads []Overhead `json:"overheads"`
	Results   []Result   `json:"results"`
	SMHasher  []SMHasher `json:"smhasher,omitempty"`
	Warnings  []string   `json:"warnings"`
}

// Core names what ran the functions: a model of a CPU, or an emulator, which is none. Whoever shows
// a report's figures names it.
func (r *Report) Core() string {
	if how := r.Machine.Emulator; how != "" {
		return "an emulator (" + how + "), whose times are no core's"
	}
	return r.Machine.CPUModel
}

// Measured is the only valid provenance of a report.
const Measured = "measured"

// Clock names the CPU of the measurement and its rate.
type Clock struct {
	CPU int `json:"cpu"` // pinned to it
	// CoreHz is the core's own rate, the median over the run. CoreSource is the source of that
	// rate.
	CoreHz     float64 `json:"core_hz"`
	CoreSource string  `json:"core_source"`
	CoreMinHz  float64 `json:"core_min_hz"`
	CoreMaxHz  float64 `json:"core_max_hz"`
	// The counter that programs read ticks at a rate of its own.
	Counter       string  `json:"counter,omitempty"` // "TSC", "CNTVCT_EL0"
	CounterHz     float64 `json:"counter_hz,omitempty"`
	CounterSource string  `json:"counter_source,omitempty"` // "CNTFRQ_EL0", "measured"
}

// Values of Clock.CoreSource.
const (
	FromPerf  = "perf events"
	FromChain = "estimate from a chain of dependent additions"
)

// Subject is a timed function.
type Subject struct {
	Function string `json:"function"` // a name of package hashbench
	Family   string `json:"family"`
	Bits     int    `json:"bits"`
	Module   string `json:"module"`
	Variant  string `json:"variant"`
}

// Overhead is the cost of a loop for one call.
type Overhead struct {
	Mode    string   `json:"mode"`
	Lengths string   `json:"lengths"` // "fixed", or a range of random ones
	Words   int      `json:"words"`   // of the result, 1 or 2
	Ns      Interval `json:"ns"`
	// LeftNs is the unexplained part of a latency loop's cost. Chains of 4 and of 16 dependent
	// multiplications give the loop's cost and that of one multiplication. LeftNs is the distance
	// of a chain of 8 from the loop's cost and eight multiplications.
	LeftNs float64 `json:"left_ns"`
}

// Result is one function in one case.
type Result struct {
	Subject
	Case
	Ns         Interval `json:"ns"`          // a call, less OverheadNs
	RawNs      Interval `json:"raw_ns"`      // a call, all of it
	OverheadNs float64  `json:"overhead_ns"` // 0 for throughput, which contains its loop
	Calls      int      `json:"calls"`       // a round
	// RoundsNs are the times a call of the single rounds, with the overhead.
	RoundsNs []float64 `json:"rounds_ns"`
}

// GBps is the bandwidth at the mean length, in GB/s (10⁹ bytes a second).
func (r Result) GBps() float64 { return r.Case.MeanBytes() / r.Ns.Median }

// SMHasher is the result of the SMHasher test suite's loop: see package smhasher.
type SMHasher struct {
	Subject
	Bytes int `json:"bytes"`
	// Ns is the thread's CPU time a hash in SMHasher's loop, with nothing subtracted.
	Ns float64 `json:"ns"`
	// Cycles is the figure that SMHasher prints on this machine: ticks of its timer, called cycles.
	Cycles float64 `json:"smhasher_cycles"`
	// CoreCycles is the same time in cycles of the core.
	CoreCycles float64 `json:"core_cycles"`
	// Timer is the timer that SMHasher reads: "TSC", "CNTVCT_EL0 × 64".
	Timer   string  `json:"timer"`
	TimerHz float64 `json:"timer_hz"`
}

// Factor is SMHasher's cycles over the core's.
func (s SMHasher) Factor() float64 { return s.Cycles / s.CoreCycles }

// Interval is a median with its 95 % confidence interval, in nanoseconds.
type Interval struct {
	Median float64 `json:"median_ns"`
	Low    float64 `json:"low_ns"`
	High   float64 `json:"high_ns"`
}

// Touches reports whether two intervals have a value in common. Then they are indistinguishable.
func (i Interval) Touches(o Interval) bool { return i.Low <= o.High && o.Low <= i.High }

// Less is the interval of a difference: from the least to the greatest that both intervals allow.
func (i Interval) Less(o Interval) Interval {
	return Interval{i.Median - o.Median, i.Low - o.High, i.High - o.Low}
}
