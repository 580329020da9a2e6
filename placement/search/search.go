package search

import (
	"math"
	"slices"
)

const (
	// Resolution is the largest gap that is not halved, as a share of the lower rate.
	Resolution = 0.015
	// bestOf is the number of trials whose majority decides on a rate.
	bestOf = 3
	// turns is the number of rates to confirm beyond the last two. Then the search gives up.
	turns = 4
)

// Search is a search for the highest rate within a bound.
type Search struct {
	Peak    float64   // the highest throughput of a closed loop
	Shares  []float64 // of the peak, measured first; the peak itself is always added
	Repeats int       // trials at both ends of the last gap; below three, of each rate, too
	// Early and Late are the throughputs of the closed loop, before the search and at its end.
	Early, Late []float64
}

// Trial is one measurement at one rate.
type Trial struct {
	Rate   float64
	Within bool // the rate was reached and the bound kept
}

// Round returns a rate with four significant digits, as it is offered.
func Round(rate float64) float64 {
	if rate <= 0 {
		return 0
	}
	unit := math.Pow(10, 3-math.Floor(math.Log10(rate)))
	return math.Round(rate*unit) / unit
}

// ladder returns the rates to measure first, ascending.
func (s *Search) ladder() []float64 {
	rates := []float64{Round(s.Peak)}
	for _, share := range s.Shares {
		rates = append(rates, Round(share*s.Peak))
	}
	slices.Sort(rates)
	return slices.Compact(rates)
}

// Next returns the rates to measure once more each. Rate 0 is the peak, for [Search.Late]. Next
// returns none when the search has ended.
func (s *Search) Next(trials []Trial) []float64 {
	settled := s.settled(trials)
	next := s.next(tallied(trials[:settled]))
	if len(next) == 0 {
		return s.again(trials)
	}
	return next[:min(len(next), max(s.most()-len(trials), 0))]
}

// next returns the rates to measure until both ends of the answer are confirmed.
func (s *Search) next(t tally) []float64 {
	if open := s.undecided(t, s.ladder()); len(open) > 0 {
		return open
	}
	if broken, above := s.inverted(t); broken > 0 {
		return s.unconfirmed(t, broken, above)
	}
	if open := s.undecided(t, t.rates()); len(open) > 0 {
		return open
	}
	lo, hi := s.gap(t)
	if lo == 0 {
		return s.unconfirmed(t, hi)
	}
	if mid := middle(lo, hi); mid > 0 {
		return []float64{mid}
	}
	return s.unconfirmed(t, lo, hi)
}

// undecided returns the rates without a verdict.
func (s *Search) undecided(t tally, rates []float64) (open []float64) {
	for _, rate := range rates {
		if !t[rate].decided(min(bestOf, s.Repeats)) {
			open = append(open, rate)
		}
	}
	return open
}

// unconfirmed returns the rates that lack trials. A tie needs one trial more.
func (s *Search) unconfirmed(t tally, rates ...float64) (open []float64) {
	for _, rate := range rates {
		c := t[rate]
		if rate > 0 && (c.trials < s.Repeats || c.tie() && c.trials == s.Repeats) {
			open = append(open, rate)
		}
	}
	return open
}

// inverted returns the lowest rate of the ladder that is not within, and a higher one that is. Both
// are 0 if there are none.
func (s *Search) inverted(t tally) (broken, above float64) {
	for _, rate := range s.ladder() {
		switch {
		case !t[rate].majority() && broken == 0:
			broken = rate
		case t[rate].majority() && broken > 0:
			return broken, rate
		}
	}
	return 0, 0
}

// gap returns the highest rate within below all rates that are not, and the lowest of those. Either
// is 0 if there is none.
func (s *Search) gap(t tally) (lo, hi float64) {
	for _, rate := range t.rates() {
		if !t[rate].majority() {
			return lo, rate
		}
		lo = rate
	}
	return lo, 0
}

// middle returns the rate that halves a gap, or 0 if the gap is small.
func middle(lo, hi float64) float64 {
	if hi == 0 || hi-lo <= Resolution*lo {
		return 0
	}
	mid := Round((lo + hi) / 2)
	if mid <= lo || mid >= hi {
		return 0
	}
	return mid
}

// Most returns the highest number of trials that the search can need, without those of the peak.
func (s *Search) Most() int { return s.most() + 2*s.Again() }

// most is [Search.Most] until both ends are confirmed.
func (s *Search) most() int {
	nominal := Search{Peak: 1e6, Shares: s.Shares} // the peak's own digits do not count
	ladder := nominal.ladder()
	votes := min(bestOf, s.Repeats)
	widest := 0
	for i := 1; i < len(ladder); i++ {
		widest = max(widest, halvings(ladder[i-1], ladder[i]))
	}
	return (len(ladder)+widest)*votes + (2+turns)*(s.Repeats+1)
}

// halvings returns how often a gap can be halved, if each time the lower half remains.
func halvings(lo, hi float64) (n int) {
	for mid := middle(lo, hi); mid > 0; mid = middle(lo, hi) {
		hi, n = mid, n+1
	}
	return n
}
