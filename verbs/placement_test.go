package verbs

import (
	"strings"
	"testing"
)

// TestPlacement checks that each promise includes the weaker ones, and that a text which this build
// does not know counts as unknown.
func TestPlacement(t *testing.T) {
	for i, p := range placements {
		for j, q := range placements {
			if p.Promises(q) != (i >= j) || p.With(q) != placements[min(i, j)] {
				t.Errorf("%s and %s: promises %v, together %s", p, q, p.Promises(q), p.With(q))
			}
		}
	}
	for _, alien := range []Placement{"", "of tomorrow"} {
		if got := alien.With(Ordered); got != Unknown {
			t.Errorf("%q counts as %q", alien, got)
		}
	}
	orderly, bare := DeviceInfo{Name: "a", Placement: LastWord}, DeviceInfo{Name: "b\x1b"}
	if err := Need(Unknown, "a lane", orderly, bare); err != nil {
		t.Error(err)
	}
	err := Need(Lines, "a lane", orderly, bare)
	if err == nil || !strings.Contains(err.Error(), `"last-word" of a and "unknown" of b`) ||
		strings.Contains(err.Error(), "\x1b") {
		t.Errorf("found %v", err)
	}
}
