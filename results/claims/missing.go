package claims

import (
	"fmt"
	"slices"
	"strings"
)

// missing names what the runs lack for a selection.
func missing(runs []Run, s *Selector, k Case, generation string) string {
	generations := s.of(generation)
	if text := missingRun(runs, generations); text != "" {
		return text
	}
	what := []string{s.words()}
	if k.GetRatio != nil {
		what = append(what, fmt.Sprintf("%g %% GET", 100**k.GetRatio))
	}
	if generations[0] != "" {
		what = append(what, titles(generations))
	}
	return "no point of " + strings.Join(what, ", ")
}

// missingRun says that no run is of the generations, or "" if one is.
func missingRun(runs []Run, generations []string) string {
	of := func(r Run) bool { return slices.ContainsFunc(generations, r.of) }
	if slices.ContainsFunc(runs, of) {
		return ""
	}
	return "no run whose DPUs are " + titles(generations)
}

// words names the points of a selection.
func (s *Selector) words() string {
	what := []string{strings.ToUpper(s.Store)}
	for _, list := range [][]string{s.Placement, s.Submode, s.Hash} {
		if len(list) > 0 {
			what = append(what, strings.Join(list, " or "))
		}
	}
	if s.Threads > 0 {
		what = append(what, fmt.Sprintf("%d server threads", s.Threads))
	}
	if len(s.Neighbour) > 0 {
		what = append(what, "beside a neighbour of kind "+strings.Join(s.Neighbour, " or "))
	}
	return strings.Join(what, ", ")
}

// lacking names the parts of a case's pool without evidence.
func (c *Claim) lacking(k Case, ev *Evidence) (list []string) {
	if c.Of == ofProbe {
		return c.lackingProbes(k, ev.Runs)
	}
	for _, generation := range k.each() {
		for _, s := range []*Selector{&c.A, c.Over} {
			switch {
			case s == nil:
			case c.ofHashes():
				list = append(list, c.lackingHashes(ev.Hashes, s, generation)...)
			default:
				list = append(list, c.lackingPoints(ev.Runs, s, k, generation)...)
			}
		}
	}
	return list
}

// studyShares are the study's GET shares.
var studyShares = []float64{1, 0.95, 0.5}

// lackingPoints names the generations, placements and submodes of a selection without any point.
// The greatest of all may also be at another GET share.
func (c *Claim) lackingPoints(runs []Run, s *Selector, k Case, generation string) (list []string) {
	for _, g := range s.of(generation) {
		one := *s
		one.Generations = []string{g}
		on := ""
		if g != "" {
			on = " on " + title(g)
		}
		without := func(one *Selector, share *float64) bool {
			return !some(runs, one, g, share)
		}
		if !slices.ContainsFunc(runs, func(r Run) bool { return r.of(g) }) {
			list = append(list, title(g))
			continue
		}
		for _, placement := range s.Placement {
			part := one
			if part.Placement = []string{placement}; without(&part, k.GetRatio) {
				list = append(list, placement+on)
			}
		}
		for _, submode := range s.Submode {
			part := one
			if part.Submode = []string{submode}; without(&part, k.GetRatio) {
				list = append(list, strings.ToUpper(submode)+on)
			}
		}
		for _, share := range studyShares {
			if c.Expect == "up to" && k.GetRatio == nil && without(&one, &share) {
				list = append(list, fmt.Sprintf("%g %% GET%s", 100*share, on))
			}
		}
	}
	return list
}
