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
// The groups follow one another at equal distances, or as a Poisson process.
type Pacer struct {
	RateOps  float64 // operations a second
	Group    int     // operations due at once
	OffsetNs float64 // of the first group; sets the threads of a load apart

	periodNs float64   // from a group to the next, on the average
	random   *poisson  // the groups' times; nil: all distances are the same
	recorded *recorded // a trace's times; nil: there is none
}

// neverNs stands for all times from 36 years on. The times of a tiny rate do not fit an int64.
const neverNs = 1 << 60

// pacer returns the pacer of a thread of this client.
func (c *Config) pacer(thread int) Pacer {
	if c.replay != nil {
		return Pacer{Group: 1, recorded: newRecorded(c.replay, c, thread)}
	}
	if c.Arrivals == load.Poisson {
		gaps := load.NewGaps(&c.Workload, c.FirstThread+thread)
		return newPoissonPacer(c.RateOps, c.Batch, c.Threads, gaps)
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

// newPoissonPacer returns one thread's share of a rate, with groups independent of each other. The
// groups of all threads together are a Poisson process, too.
func newPoissonPacer(rateOps float64, group, threads int, gaps load.Gaps) Pacer {
	p := newGroups(rateOps/float64(threads), group)
	p.random = newPoisson(p.periodNs, gaps)
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
	if p.recorded != nil {
		return p.recorded.at(n)
	}
	if p.random != nil {
		return p.random.at(n / uint64(p.Group))
	}
	return p.groupAt(n / uint64(p.Group))
}

// Due returns the number of operations due within elapsedNs nanoseconds of the start. At(n) <=
// elapsedNs holds exactly for n < Due(elapsedNs).
func (p Pacer) Due(elapsedNs int64) uint64 {
	if p.recorded != nil {
		return p.recorded.due(elapsedNs)
	}
	if p.random != nil {
		return p.random.due(elapsedNs) * uint64(p.Group)
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

// poisson is a Poisson process: the times of groups that arrive independently of each other. The
// gaps decide the times once and for all. Earlier queries change no answer, only its cost: one gap
// for each group since the last query, or all gaps from the start for an earlier group.
type poisson struct {
	meanNs float64
	start  arrival // the first group

	last    arrival // whose time was asked for last
	next    arrival // the first that is not due at askedNs
	askedNs int64
}

// arrival is a group of a Poisson process.
type arrival struct {
	group uint64
	ns    float64
	gaps  load.Gaps // that follow
}

func newPoisson(meanNs float64, gaps load.Gaps) *poisson {
	p := &poisson{meanNs: meanNs, start: arrival{gaps: gaps}, askedNs: math.MinInt64}
	p.start.ns = p.start.gaps.Next() * meanNs
	p.last, p.next = p.start, p.start
	return p
}

// at returns the time at which a group arrives.
func (p *poisson) at(group uint64) int64 {
	if group < p.last.group {
		p.last = p.start
	}
	for p.last.group < group {
		p.advance(&p.last)
	}
	return p.last.at()
}

// due returns the number of groups that have arrived by a time.
func (p *poisson) due(elapsedNs int64) uint64 {
	if elapsedNs < p.askedNs {
		p.next = p.start
	}
	p.askedNs = elapsedNs
	for p.next.at() <= elapsedNs {
		p.advance(&p.next)
	}
	return p.next.group
}

func (p *poisson) advance(a *arrival) {
	a.group++
	a.ns += a.gaps.Next() * p.meanNs
}

func (a *arrival) at() int64 { return int64(min(math.Floor(a.ns), neverNs)) }
