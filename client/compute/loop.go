package compute

import (
	"math"
	"slices"

	"dpukv/internal/cpu"
)

const (
	// rounds is the number of times that the calibration takes.
	rounds = 101
	// roundNs is the time that a round should take. Few rounds of that length meet an interrupt.
	roundNs = 50_000
	// firstUnits is the size of the first rounds. They also wake up the CPU's clock.
	firstUnits = 1000
)

// Loop does integer work. It belongs to one thread.
type Loop struct {
	unitNs float64
	state  uint64 // of the work: nothing else reads it, and the compiler can't leave it out
}

// Calibrate returns a loop for the calling thread, which must stay on its CPU or on equal ones. It
// takes a few milliseconds.
func Calibrate() *Loop {
	l := &Loop{state: 1}
	units := firstUnits
	for {
		took := l.time(units)
		if took >= roundNs {
			units = max(int(float64(units)*roundNs/float64(took)), 1)
			break
		}
		units *= 2
	}
	times := make([]int64, rounds)
	for i := range times {
		times[i] = l.time(units)
	}
	slices.Sort(times)
	l.unitNs = float64(times[rounds/2]) / float64(units)
	return l
}

// Do does the work that takes so many nanoseconds when nothing disturbs it, at least one unit.
func (l *Loop) Do(ns int64) {
	l.units(max(int(math.Round(float64(ns)/l.unitNs)), 1))
}

func (l *Loop) time(units int) int64 {
	begin := cpu.NowNs()
	l.units(units)
	return cpu.NowNs() - begin
}

// units does n units: steps of a generator of random numbers, each of which needs the one before.
func (l *Loop) units(n int) {
	x := l.state
	for range n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	l.state = x
}
