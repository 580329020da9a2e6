package client

import (
	"math"
	"math/rand/v2"

	"dpukv/load"
)

// Pacer gives the intended times of operations, as a pure function of time. Earlier sends and
// answers change nothing. So a slow server cannot slow the load down, and errors cannot add up.
//
// Operations come in groups, the load's batches. The operations of a group share an intended time.
// The groups follow one another at equal distances, with drawn gaps, or as a trace has them.
type Pacer struct {
	RateOps  float64 // operations a second
	Group    int     // operations due at once
	OffsetNs float64 // of the first group; sets the threads of a load apart

	periodNs float64 // from a group to the next, on the average
	times    *walk   // the groups' times; nil: all distances are the same
	random   bool    // they are drawn
}

// neverNs stands for all times from 36 years on. The times of a tiny rate do not fit an int64.
const neverNs = 1 << 60

// pacer returns the pacer of a thread of this client.
func (c *Config) pacer(thread int) Pacer {
	if c.replay != nil {
		return Pacer{Group: 1, times: c.replay.times(c, thread)}
	}
	if c.Arrivals != load.Constant {
		gaps := load.NewGaps(c.Seed, c.Arrivals, c.FirstThread+thread)
		return newRandomPacer(c.RateOps, c.Batch, c.Threads, gaps)
	}
	return newPacer(c.RateOps, c.Batch, thread, c.Threads, c.phase())
}

// phase returns how far this client's groups are from those of a client without an offset, as a
// part of the distance between two of them. Clients of one point would otherwise meet the server
// together each time, or never, by the luck of their start. The seed decides, so each repeat tries
// another phase.
func (c *Config) phase() float64 {
	if c.AllThreads <= c.Threads {
		return 0 // the only client
	}
	return rand.New(rand.NewPCG(c.Seed, uint64(c.FirstThread))).Float64()
}

// newPacer returns one thread's share of a rate, with its groups between those of the other
// threads.
func newPacer(rateOps float64, group, thread, threads int, phase float64) Pacer {
	p := newGroups(rateOps/float64(threads), group)
	p.OffsetNs = p.periodNs * (float64(thread) + phase) / float64(threads)
	return p
}

// newRandomPacer returns one thread's share of a rate, with gaps independent of each other. If they
// make a Poisson process, the groups of all threads together are one, too.
func newRandomPacer(rateOps float64, group, threads int, gaps load.Gaps) Pacer {
	p := newGroups(rateOps/float64(threads), group)
	p.times, p.random = drawn(p.periodNs, gaps), true
	return p
}

func newGroups(rateOps float64, group int) Pacer {
	return Pacer{
		RateOps: rateOps, Group: group,
		periodNs: min(float64(group)*1e9/rateOps, neverNs),
	}
}

// At returns the intended time of operation n, counted from 0, in nanoseconds from the start. It
// never falls as n rises.
func (p Pacer) At(n uint64) int64 {
	if p.times != nil {
		return p.times.at(n / uint64(p.Group))
	}
	return p.groupAt(n / uint64(p.Group))
}

// Due returns the number of operations due within elapsedNs nanoseconds of the start. At(n) <=
// elapsedNs holds exactly for n < Due(elapsedNs).
func (p Pacer) Due(elapsedNs int64) uint64 {
	if p.times != nil {
		return p.times.due(elapsedNs) * uint64(p.Group)
	}
	if elapsedNs < p.groupAt(0) {
		return 0
	}
	groups := uint64(max((float64(elapsedNs)-p.OffsetNs)/p.periodNs, 0)) + 1
	// The division rounds, so At decides.
	for p.groupAt(groups) <= elapsedNs {
		groups++
	}
	for p.groupAt(groups-1) > elapsedNs {
		groups--
	}
	return groups * uint64(p.Group)
}

func (p Pacer) groupAt(g uint64) int64 {
	return int64(min(math.Floor(p.OffsetNs+float64(g)*p.periodNs), neverNs))
}

// drawn are the times of groups whose gaps are drawn.
func drawn(meanNs float64, gaps load.Gaps) *walk {
	return newWalk(func() func() int64 {
		ns, gaps := 0.0, gaps // each walk has the same gaps
		return func() int64 {
			ns += gaps.Next() * meanNs
			return int64(min(math.Floor(ns), neverNs))
		}
	})
}
