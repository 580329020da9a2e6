package clock

import (
	"slices"
	"time"

	"dpukv/internal/cpu"
)

// Counter is the processor's counter; it is 0 where there is none to be read.
func Counter() uint64 { return readCounter() }

// CounterName is what the processor's manual calls it: "TSC", "CNTVCT_EL0"; empty where there is none.
func CounterName() string { return counterName }

// CounterHz is the counter's rate, and how it is known: "CNTFRQ_EL0" if the
// processor tells it, "measured" if it was compared with the kernel's monotonic clock for 50 ms.
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

// both reads the two clocks at about the same moment: the closest of several tries.
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

// Spin has the core work as long as [CoreHz] does, without a system call, whose time is CPU time but not that of cycles in user mode.
func Spin() {
	if counterName != "" {
		addChain(chainRounds * chainTries)
	}
}

// CoreHz estimates how fast the core of the calling thread runs now: the median of 15 chains of
// dependent additions of about 50 µs each, by the thread's CPU time. The caller keeps the thread. It is 0
// on an architecture without such a chain.
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
