package search

import "math"

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
	// Low and High are the ends of the 95 % interval of the true highest rate. An end without
	// enough trials is 0.
	Low, High      float64
	Within, Trials int // at Rate
}

// Answer returns the result of the trials so far.
func (s *Search) Answer(trials []Trial) Answer {
	t := tallied(trials)
	if len(s.Next(trials)) > 0 {
		return Answer{Outcome: Unfinished}
	}
	if broken, _ := s.inverted(t); broken > 0 {
		return Answer{Outcome: Inverted, Beyond: broken}
	}
	lo, hi := s.gap(t)
	switch {
	case lo == 0:
		return Answer{Outcome: LowestViolates, Beyond: hi}
	case len(s.next(t)) > 0:
		return Answer{Outcome: Unsettled, Beyond: hi}
	}
	a := Answer{
		Rate: lo, Beyond: hi, Low: t.low(lo), High: t.high(hi),
		Within: t[lo].within, Trials: t[lo].trials,
	}
	if hi == 0 {
		a.Outcome = KeptUpToPeak
	}
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
