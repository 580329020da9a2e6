package run

import (
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
