package client

import (
	"fmt"
	"time"

	"dpukv/internal/numfmt"
	"dpukv/results"
)

const (
	// leastFlight and mostFlight limit the share of its windows that a closed loop has in flight.
	leastFlight = 0.9
	mostFlight  = 1.02
	// longStall is the share of the measurement period for which a stall at its end is long.
	longStall = 0.01
)

// aged are operations that were in flight when the measurement period ended, and their age then.
type aged struct{ ageNs, n int64 }

// flight is what a load keeps in flight.
type flight struct {
	*Config
	workers int // of the server
}

// windows is how many operations the windows of all threads hold.
func (f flight) windows() int { return f.operations(f.Window) }

// most is the most requests without an answer. A batch more than the window may wait.
func (f flight) most() uint64 { return uint64(f.operations(f.Window + 1)) }

// operations are those of so many batches on each connection.
func (f flight) operations(batches int) int {
	return f.Threads * f.Connections * max(f.workers, 1) * batches * f.Batch
}

// notFull warns of a closed loop whose windows were not full, or seem more than full, and says why.
// youngNs is what [loadRun.unanswered] returns.
func (f flight) notFull(p *results.Point, youngNs int64) results.Warning {
	all := float64(f.windows())
	share, young := p.InFlightShare, float64(youngNs)/float64(f.Duration)/all
	held := 1 - share - young
	switch {
	case share == 0 || leastFlight <= share && share <= mostFlight:
		return results.Warning{}
	case share > mostFlight:
		return results.InFlight.Warn("in flight: a stall crosses the begin of the measurement "+
			"period, and latencies of its answers begin before that. So throughput × mean "+
			"latency is %.1f operations, and the windows hold %.0f", p.InFlightMean, all)
	case held <= 1-leastFlight:
		return results.InFlight.Warn("in flight: a stall crosses the end of the measurement "+
			"period, and no latency has its length. So throughput × mean latency is %.1f "+
			"operations, and the windows hold %.0f", p.InFlightMean, all)
	}
	batches := all / float64(f.Batch)
	return results.InFlight.Warn("in flight: the client held %.1f of %.0f batches back in the "+
		"mean%s. Latencies do not have that time, and throughput lacks it", held*batches,
		batches, f.whyHeld(p))
}

// whyHeld says what a client did while its windows were not full.
func (f flight) whyHeld(p *results.Point) string {
	switch n := max(f.workers, 1) * f.Connections; {
	case f.Compute > 0:
		return fmt.Sprintf(": it computed %s for each of them", numfmt.Duration(f.Compute))
	case p.Reconnects > 0:
		return fmt.Sprintf(": it opened its connections anew %d times", p.Reconnects)
	case n > 1:
		return fmt.Sprintf(", from an answer to the next send, or since one of %d windows of a "+
			"thread was full and the next request was for that", n)
	}
	return ", from an answer to the next send"
}

// unansweredBound warns of a long stall over the end of a closed loop's period.
func unansweredBound(p *results.Point) results.Warning {
	oldest := time.Duration(p.MaxNs) // an unanswered operation has it
	bound := fmt.Sprintf("the latencies are lower bounds from p%g on", p.LatencyLowerBoundFrom)
	if p.LatencyLowerBoundFrom == 100 {
		if float64(oldest) < longStall*float64(p.DurationNs) {
			return results.Warning{}
		}
		bound = "the maximum is a lower bound"
	}
	return results.LowerBounds.Warn("a stall crosses the end of the measurement period. %d "+
		"operations were in flight then, for up to %s, longer than any answer took. They count "+
		"with that age, so %s", p.UnansweredOps, numfmt.Duration(oldest), bound)
}
