package search

import (
	"cmp"
	"math"
	"slices"

	"dpukv/internal/sample"
)

// Again returns how often the peak and both ends of the answer are measured again.
func (s *Search) Again() int { return min(bestOf, s.Repeats) }

// settled counts the trials with which the search was over. Later ones measured its ends again.
func (s *Search) settled(trials []Trial) int {
	for n := range trials {
		if len(s.next(tallied(trials[:n]))) == 0 {
			return n
		}
	}
	return len(trials)
}

// again returns what to measure again: 0 is the peak. The ends take turns, first one of them and
// then the other, so that a steady drift changes both alike.
func (s *Search) again(trials []Trial) []float64 {
	settled := s.settled(trials)
	t := tallied(trials[:settled])
	lo, hi := s.gap(t)
	if broken, _ := s.inverted(t); broken > 0 || lo == 0 || len(s.next(t)) > 0 {
		return nil // there is no answer
	}
	turns, late := []float64{lo, hi, hi, lo}, len(trials)-settled
	if hi == 0 {
		turns = []float64{lo, lo}
	}
	perPeak := len(turns) / 2
	switch {
	case len(s.Late) < s.Again() && len(s.Late)*perPeak <= late:
		return []float64{0}
	case late < s.Again()*perPeak:
		return []float64{turns[late%len(turns)]}
	}
	return nil
}

const (
	// driftScore is how many standard deviations the order of the verdicts may be off: 2 % of the
	// searches without a drift are further off.
	driftScore = 2.3
	// latePeaks are the fewest late peaks that can tell a drift.
	latePeaks = 3
)

// limitDrift returns -1 if the limit fell during the search, 1 if it rose, and 0 if the verdicts
// show neither. At each rate, those within come before those beyond the bound if the limit falls.
// The sum over the rates is that of Mann and Whitney's tests, one a rate.
func limitDrift(trials []Trial) int {
	falls, variance := 0.0, 0.0
	t := tallied(trials)
	for _, rate := range t.rates() {
		c, within := t[rate], 0.0
		for _, trial := range trials {
			switch {
			case trial.Rate != rate:
			case trial.Within:
				within++
				falls -= 0.5 * float64(c.trials-c.within)
			default:
				falls += within
			}
		}
		w, b := float64(c.within), float64(c.trials-c.within)
		variance += w * b * (w + b + 1) / 12
	}
	if score := falls / math.Sqrt(variance); math.Abs(score) >= driftScore { // NaN is not
		return -cmp.Compare(score, 0)
	}
	return 0
}

// peakDrift returns the change of the peak as a share of it, or 0 if the late peaks are among the
// early ones, or next to them.
func (s *Search) peakDrift() float64 {
	if len(s.Late) < latePeaks || len(s.Early) < latePeaks {
		return 0
	}
	apart := slices.Max(s.Late) < slices.Min(s.Early) || slices.Min(s.Late) > slices.Max(s.Early)
	change := sample.Median(s.Late)/sample.Median(s.Early) - 1
	if !apart || math.Abs(change) < Resolution {
		return 0
	}
	return change
}
