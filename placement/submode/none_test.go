package submode

import (
	"errors"
	"testing"

	"dpukv/placement/submode/packetfilter"
)

// TestNone: without a datapath, nothing is set up, and nothing filters.
func TestNone(t *testing.T) {
	for _, d := range []*datapath{offPath, cable, blueFieldOffPath} {
		s := mustNew(t, Config{Submode: d.submodes[0], Target: d.target}).setup(d, "/x")
		if n := len(s.steps()) + len(d.Verify(s)) + len(s.portSteps(checkPorts)); n > 0 {
			t.Errorf("%s on %s: found %d steps, want none", d.name, d.target, n)
		}
		if err := d.refuses(&packetfilter.Filter{CountOpcodes: true}); !errors.Is(err, errNoFilter) {
			t.Errorf("%s on %s: found %v, want that it filters nothing", d.name, d.target, err)
		}
	}
}
