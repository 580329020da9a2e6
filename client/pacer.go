package client

import "math"

// Pacer says when operations are meant to be sent, as a pure function of time: what has
// been sent or answered so far changes nothing, so that a slow server cannot slow
// the load down, and an error cannot add up.
//
// Operations come in groups, the load's batches: those of one group share an intended time, and the
// groups follow one another at the same distance.
type Pacer struct {
	RateOps  float64 // operations a second
	Group    int     // operations meant to be sent at once
	OffsetNs float64 // of the first group; sets the threads of a load apart
}

// neverNs stands for all times from 36 years on: those of a tiny rate do not fit an int64.
const neverNs = 1 << 60

// newPacer is one thread's share of a rate, its groups between those of the other threads.
func newPacer(rateOps float64, group, thread, threads int) Pacer {
	p := Pacer{RateOps: rateOps / float64(threads), Group: group}
	p.OffsetNs = p.periodNs() * float64(thread) / float64(threads)
	return p
}

// At is when operation n, counted from 0, is meant to be sent, in nanoseconds
// from the start. It never falls as n rises.
func (p Pacer) At(n uint64) int64 { return p.groupAt(n / uint64(p.Group)) }

// Due is the number of operations that are meant to have been sent elapsed nanoseconds after the
// start: At(n) <= elapsedNs just for the operations n < Due(elapsedNs).
func (p Pacer) Due(elapsedNs int64) uint64 {
	if elapsedNs < p.groupAt(0) {
		return 0
	}
	groups := uint64(max((float64(elapsedNs)-p.OffsetNs)/p.periodNs(), 0)) + 1
	// The division rounds, and At must have the last word.
	for p.groupAt(groups) <= elapsedNs {
		groups++
	}
	for p.groupAt(groups-1) > elapsedNs {
		groups--
	}
	return groups * uint64(p.Group)
}

func (p Pacer) groupAt(g uint64) int64 {
	return int64(min(math.Floor(p.OffsetNs+float64(g)*p.periodNs()), neverNs))
}

func (p Pacer) periodNs() float64 { return min(float64(p.Group)*1e9/p.RateOps, neverNs) }
