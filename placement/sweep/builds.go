package sweep

import (
	"errors"
	"fmt"
	"slices"
)

// Compare makes the sweep measure two builds side by side. The base is the one that the other is
// compared with.
func (s *Sweep) Compare(base, other string) {
	s.Axes = s.Axes.with("build", base, other)
}

// Compared returns the two builds of a sweep that measures them side by side; "": it measures one.
func (s *Sweep) Compared() (base, other string) {
	both := s.Axes["build"]
	if len(both) != 2 || slices.Contains(both, none) {
		return "", ""
	}
	return both[0], both[1]
}

// CheckBuilds refuses what two builds cannot be compared by.
func CheckBuilds(s *Sweep) error {
	base, other := s.Compared()
	var errs []error
	refuse := func(found bool, key, what, allowed string) {
		if found {
			errs = append(errs, fmt.Errorf("%s: found %s with two builds, allowed: %s", key, what,
				allowed))
		}
	}
	switch {
	case base != "" && other != "":
	case s.Value("build") == none:
		return nil
	default:
		return fmt.Errorf("build: found %s, allowed: %s", s.Value("build"), builds.Allowed)
	}
	refuse(s.SLO != "", "slo", s.SLO, "none, as each build would be offered another load")
	refuse(s.Shares != nil, "rate", "shares of the peak",
		"operations per second, as each build has a peak of its own")
	refuse(s.RepeatsUntil > 0, "repeats_until", until.Format(s.RepeatsUntil),
		"none, as each round is a pair: set repeats")
	refuse(len(s.probes()) > 0, "measure", s.measureText(), measureStores)
	refuse(s.Attach != "", "attach", s.Attach,
		"none, as the server that runs already is of neither build")
	return errors.Join(errs...)
}
