package rr

import (
	"math"

	"dpukv/load"
)

// neverNs stands for all times from 36 years on.
const neverNs = 1 << 60

// arrivals is a Poisson process: the intended times of one thread's messages. Those of all threads
// together are a Poisson process, too.
type arrivals struct {
	dueNs  float64 // of the next message
	meanNs float64
	gaps   load.Gaps
}

// newArrivals starts a thread's share of a rate.
func newArrivals(seed uint64, thread int, perSecond float64, startNs int64) *arrivals {
	a := &arrivals{
		dueNs: float64(startNs), meanNs: 1e9 / perSecond,
		gaps: load.NewGaps(seed, load.Poisson, thread),
	}
	a.advance()
	return a
}

// due returns the intended time of the next message.
func (a *arrivals) due() int64 { return int64(math.Floor(min(a.dueNs, neverNs))) }

func (a *arrivals) advance() { a.dueNs += a.gaps.Next() * a.meanNs }
