package answer

import (
	"fmt"
	"math"

	"dpukv/internal/numfmt"
	"dpukv/results/compare"
)

// together is the answer of several races that the same line leads, where no race by itself says
// the opposite. One test of all their rounds can be sure where each race has too few. It returns no
// text if there is no such answer.
func together(all []race, noun string) (Verdict, string) {
	races, alone := split(all)
	if len(races) < 2 || len(races)+alone < len(all) {
		return "", ""
	}
	best := races[0].entries[0].label
	least, most, sure, far := math.Inf(1), 0.0, true, true
	for _, r := range races {
		if r.verdict == Tie || r.entries[0].label != best {
			return "", ""
		}
		size := r.entries[1].behind.ratio.Estimate
		least, most = min(least, size), max(most, size)
		sure, far = sure && r.verdict != TooFew, far && r.verdict == Far
	}
	size := races[0].by.overCases(least, most)
	is, rest := races[0].is(noun), "."+savesTogether(races)
	if alone > 0 {
		rest += fmt.Sprintf(" In %s, there is nothing to compare.",
			numfmt.Count(alone, "other case"))
	}
	p := sureTogether(races)
	switch {
	case sure:
		verdict := Sure
		if far {
			verdict = Far
		}
		return verdict, fmt.Sprintf("%s %s in %s: %s%s", best, is, every(len(races)), size, rest)
	case p <= alpha && least >= 1+MinChange:
		return Sure, fmt.Sprintf("%s %s over %d cases together: %s. One test of all rounds: "+
			"%s%s", best, is, len(races), size, saidP(p), rest)
	}
	return TooFew, fmt.Sprintf("%s leads in %s: %s. The repeats are too few for a test%s", best,
		every(len(races)), size, rest)
}

// every names this many cases, at least two.
func every(cases int) string {
	if cases == 2 {
		return "both cases"
	}
	return fmt.Sprintf("all %d cases", cases)
}

// split returns the races with something to compare, and the number of those of a single line.
func split(all []race) (races []*race, alone int) {
	for i := range all {
		switch r := &all[i]; {
		case len(r.others()) > 0:
			races = append(races, r)
		case len(r.entries) == 1 && r.entries[0].mark != nil:
			alone++
		}
	}
	return races, alone
}

// sureTogether is the greatest p of the best line against each other one, over all races that have
// both. It is 1 if the rounds of some have nothing in common.
func sureTogether(races []*race) (p float64) {
	strata := map[string][]compare.Pairs{}
	for _, r := range races {
		for _, e := range r.others() {
			if len(e.behind.pairs.A) == 0 {
				return 1
			}
			strata[e.label] = append(strata[e.label], e.behind.pairs)
		}
	}
	for _, cases := range strata {
		p = max(p, compare.SignedRank(cases...))
	}
	return p
}
