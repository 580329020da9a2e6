package search

import (
	"maps"
	"slices"
)

// count has the trials of one rate.
type count struct{ trials, within int }

func (c count) share() Share { return Share{c.within, c.trials} }

// majority reports whether more than half of the trials are within.
func (c count) majority() bool { return 2*c.within > c.trials }

// tie reports whether half of the trials are within.
func (c count) tie() bool { return 2*c.within == c.trials }

// decided reports whether no further trial can turn the majority of so many.
func (c count) decided(votes int) bool {
	return c.trials >= votes || 2*c.within > votes || 2*(c.trials-c.within) >= votes
}

// tally has the trials by rate.
type tally map[float64]count

func tallied(trials []Trial) tally {
	t := tally{}
	for _, trial := range trials {
		c := t[trial.Rate]
		c.trials++
		if trial.Within {
			c.within++
		}
		t[trial.Rate] = c
	}
	return t
}

// rates returns all rates, ascending.
func (t tally) rates() []float64 { return slices.Sorted(maps.Keys(t)) }
