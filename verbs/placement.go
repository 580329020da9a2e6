package verbs

import (
	"fmt"
	"slices"
)

// Placement is what a device promises about the order in which the bytes of one WRITE become
// visible in memory. WRITEs of one queue pair become visible in their order, except with "none".
type Placement string

// These are the promises, from the weakest to the strongest.
const (
	NoOrder  Placement = "none"      // bytes in any order
	Unknown  Placement = "unknown"   // the firmware and the environment decide, and were not read
	Lines    Placement = "line"      // lines of 64 bytes in any order, each as a whole
	LastWord Placement = "last-word" // the last word of 8 bytes after all others
	Ordered  Placement = "ordered"   // from low to high addresses
)

var placements = []Placement{NoOrder, Unknown, Lines, LastWord, Ordered}

// rank is the place among the promises. A peer may say what this build does not know.
func (p Placement) rank() int {
	if i := slices.Index(placements, p); i >= 0 {
		return i
	}
	return slices.Index(placements, Unknown)
}

// Promises reports whether a device that promises p promises q, too.
func (p Placement) Promises(q Placement) bool { return p.rank() >= q.rank() }

// With is what two devices promise together: the weaker of their promises. The one that sends a
// WRITE and the one that receives it both have a part in its order.
func (p Placement) With(q Placement) Placement { return placements[min(p.rank(), q.rank())] }

// Need returns an error if two devices together do not promise q to a user of WRITEs.
func Need(q Placement, user string, here, there DeviceInfo) error {
	if here.Placement.With(there.Placement).Promises(q) {
		return nil
	}
	say := func(i *DeviceInfo) string {
		return fmt.Sprintf("%q of %s", i.Placement.With(Ordered), Printable(i.Name))
	}
	return fmt.Errorf("order of the bytes of a WRITE: found %s and %s, allowed for %s: %q or "+
		"more; name devices that promise it", say(&here), say(&there), user, q)
}
