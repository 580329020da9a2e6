package run

import (
	"slices"

	"dpukv/load"
	"dpukv/placement/sweep"
	"dpukv/results"
)

// A run folder may grow by repeats, and by nothing else. Its sweep.yaml stays as it was, since the
// chain of the points begins with it. How far the folder has grown follows from its points; which
// command asked for that stands in its starts.

// grow gives a sweep from a run folder the repeats that its points have.
func grow(s *sweep.Sweep, points []results.Point) {
	if !mayGrow(s) {
		return
	}
	grown := *s
	for i := range points {
		grown.Repeats = max(grown.Repeats, points[i].Repeat)
	}
	if grown.Size(sweep.MaxPoints) < sweep.MaxPoints {
		*s = grown
	}
}

// mayGrow reports whether a sweep has a number of repeats that is its own choice. A search and
// repeats_until choose theirs by what they find, and rates that follow from peaks by the peaks'.
func mayGrow(s *sweep.Sweep) bool { return !s.FromPeaks() && s.RepeatsUntil == 0 }

// differences are those of a sweep from the one of a run folder, but for further repeats.
func differences(held, asked *sweep.Sweep) []string {
	same := *asked
	if mayGrow(held) && mayGrow(asked) {
		same.Repeats = min(asked.Repeats, held.Repeats)
	}
	return sweep.Differences(held, &same)
}

// asThen gives a sweep from a run folder the arrivals that builds before 2026-11-22 had by default,
// if the folder's points have them.
func asThen(s *sweep.Sweep, points []results.Point) {
	if slices.ContainsFunc(points, func(p results.Point) bool {
		return p.RateOps > 0 && p.Arrivals == load.Constant && !p.Replays() && !p.IsProbe()
	}) {
		s.ArriveEvenly()
	}
}
