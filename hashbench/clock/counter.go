package clock

import (
	"slices"
	"time"

	"dpukv/internal/cpu"
)

// Counter is the value of the processor's counter; it is 0 on processors without a readable one.
func Counter() uint64 { return readCounter() }

// CounterName is the counter's name in the processor's manual: "TSC", "CNTVCT_EL0". It is empty on
// processors without a readable counter.
func CounterName() string { return counterName }

// CounterHz is the counter's rate and the rate's source. The source is "CNTFRQ_EL0" if the
// processor reports the rate, or "measured" after 50 ms beside the kernel's monotonic clock.
func CounterHz() (hz float64, source string) {
	if counterName == "" {
		return 0, ""
	}
	if f := counterFrequency(); f > 0 {
		return float64(f), "CNTFRQ_EL0"
	}
	ticks, ns := compare(50 * time.Millisecond)
	return float64(ticks) / float64(ns) * 1e9, "measured"
}

// compare reads both clocks twice.
func compare(apart time.Duration) (ticks uint64, ns int64) {
	ticks0, ns0 := both()
	time.Sleep(apart)
	ticks1, ns1 := both()
	return ticks1 - ticks0, ns1 - ns0
}

// both reads the two clocks at about the same moment, and keeps the closest of several tries.
func both() (ticks uint64, ns int64) {
	best := ^uint64(0)
	for range 20 {
		before := Counter()
		now := cpu.NowNs()
		after := Counter()
		if after-before < best {
			best, ticks, ns = after-before, before+(after-before)/2, now
		}
	}
	return ticks, ns
}

const (
	chainLength = 64    // additions a round of addChain
	chainRounds = 3_000 // about 50 µs
	chainTries  = 15
)

// Spin keeps the core busy for the time of [CoreHz], without a system call. A system call's time
// would be CPU time without cycles in user mode.
func Spin() {
	if counterName != "" {
		addChain(chainRounds * chainTries)
	}
}

// CoreHz estimates the current rate of the calling thread's core. It is the median of 15 chains of
// dependent additions of about 50 µs each, by the thread's CPU time. The caller keeps the thread.
// CoreHz is 0 on an architecture without such a chain.
func CoreHz() float64 {
	if counterName == "" {
		return 0
	}
	rates := make([]float64, chainTries)
	for i := range rates {
		start := cpu.ThreadNs()
		addChain(chainRounds)
		rates[i] = chainRounds * chainLength / float64(max(cpu.ThreadNs()-start, 1)) * 1e9
	}
	slices.Sort(rates)
	return rates[chainTries/2]
}
