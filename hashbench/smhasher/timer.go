package smhasher

import (
	"runtime"

	"dpukv/hashbench/clock"
)

// armFactor is the factor by which SMHasher multiplies CNTVCT_EL0.
const armFactor = 64

// Timer is the timer that SMHasher reads on an architecture.
type Timer struct {
	Name   string
	Factor float64 // ticks that it makes of one of the counter
	Hz     float64 // of these ticks
}

// NewTimer is the timer of this machine. Its name is empty if SMHasher reads none that this program
// can read.
func NewTimer() Timer {
	hz, _ := clock.CounterHz()
	return timerOf(runtime.GOARCH, clock.CounterName(), hz)
}

func timerOf(arch, counter string, hz float64) Timer {
	if arch == "arm64" {
		return Timer{counter + " × 64", armFactor, hz * armFactor}
	}
	return Timer{counter, 1, hz}
}
