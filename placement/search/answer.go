package search

import (
	"math"
	"slices"
)

// Outcome tells how a search ended.
type Outcome int

// The outcomes of a search.
const (
	Found          Outcome = iota // [Answer.Rate] is the highest rate within
	KeptUpToPeak                  // the peak itself is within, so the rate is a lower limit
	LowestViolates                // the lowest rate is not within
	Inverted                      // a rate is not within, and a higher one is
	Unsettled                     // the verdicts still turned at the last trial
	Unfinished                    // trials are missing
)

// Answer is the result of a search.
type Answer struct {
	Outcome Outcome
	Rate    float64 // the highest rate within; 0: there is none
	Beyond  float64 // the lowest rate that is not within; 0: there is none
	// Above is the highest rate within above Beyond: latency does not grow with the load there, or
	// chance decided. 0: there is none.
	Above float64
	// Low and High are the ends of the 95 % interval of the true highest rate. An end without
	// enough trials is 0.
	Low, High float64
	// Slope is the part of the rate over which the probability to be within falls from 3/4 to 1/4.
	// It is not known below the last gap, and 0 without one.
	Slope  float64
	Within Share // at Rate
	// Again and AgainBeyond are the trials at Rate and Beyond that the search made at its end.
	Again, AgainBeyond Share
	// Drift is -1 if the limit fell while the search measured, and 1 if it rose; PeakDrift is the
	// change of the peak as a share of it. 0: neither is shown.
	Drift     int
	PeakDrift float64
	Below     []float64 // rates tried below the answer; between them, nothing is known
}

// Share is a number of trials, and of those within.
type Share struct{ Within, Trials int }

// Turned returns the ends whose verdict is another one in the trials at the search's end.
func (a *Answer) Turned() (ends []float64) {
	if a.Again.Trials > 2*a.Again.Within {
		ends = append(ends, a.Rate)
	}
	if a.AgainBeyond.Trials < 2*a.AgainBeyond.Within {
		ends = append(ends, a.Beyond)
	}
	return ends
}

// Answer returns the result of the trials so far.
func (s *Search) Answer(trials []Trial) Answer {
	if len(s.Next(trials)) > 0 {
		return Answer{Outcome: Unfinished}
	}
	settled := s.settled(trials)
	t, all, late := tallied(trials[:settled]), tallied(trials), tallied(trials[settled:])
	lo, hi := s.gap(t)
	a := Answer{Beyond: hi, Drift: limitDrift(trials), PeakDrift: s.peakDrift()}
	for _, rate := range t.rates() {
		if hi > 0 && rate > hi && t[rate].majority() {
			a.Above = rate
		}
	}
	broken, _ := s.inverted(t)
	switch {
	case broken > 0:
		a.Outcome, a.Beyond = Inverted, broken
		return a
	case lo == 0:
		a.Outcome = LowestViolates
		return a
	case len(s.next(t)) > 0:
		a.Outcome = Unsettled
		return a
	case hi == 0:
		a.Outcome = KeptUpToPeak
	}
	a.Rate, a.Low, a.High, a.Slope = lo, all.low(lo), all.high(hi), all.slope(lo, hi)
	a.Within, a.Again, a.AgainBeyond = all[lo].share(), late[lo].share(), late[hi].share()
	a.Below = slices.DeleteFunc(t.rates(), func(rate float64) bool { return rate >= lo })
	return a
}

// level is the probability of an error at each end of the interval.
const level = 0.025

// low returns the highest rate from which the trials up to a rate are within too often for chance,
// or 0.
func (t tally) low(upTo float64) float64 {
	trials, within := 0, 0
	rates := t.rates()
	for i := len(rates) - 1; i >= 0; i-- {
		if rates[i] > upTo {
			continue
		}
		trials, within = trials+t[rates[i]].trials, within+t[rates[i]].within
		if tail(trials, within) <= level {
			return rates[i]
		}
	}
	return 0
}

// high returns the lowest rate up to which the trials from a rate on are beyond the bound too often
// for chance, or 0.
func (t tally) high(from float64) float64 {
	trials, beyond := 0, 0
	for _, rate := range t.rates() {
		if from == 0 || rate < from {
			continue
		}
		trials, beyond = trials+t[rate].trials, beyond+t[rate].trials-t[rate].within
		if tail(trials, beyond) <= level {
			return rate
		}
	}
	return 0
}

// tail is the probability of k or more heads in n throws of a coin.
func tail(n, k int) (p float64) {
	for i := k; i <= n; i++ {
		lnFact := func(x int) float64 { v, _ := math.Lgamma(float64(x) + 1); return v }
		p += math.Exp(lnFact(n) - lnFact(i) - lnFact(n-i) - float64(n)*math.Ln2)
	}
	return p
}
