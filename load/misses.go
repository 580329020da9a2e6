package load

import (
	"cmp"
	"fmt"
	"time"
)

// The values of Load.OnMiss.
const (
	RefuseMisses = ""      // too many misses fail the run
	AllowMisses  = "allow" // GETs may miss: the hit rate is a result
	FillMisses   = "fill"  // allowed, and the client SETs a key after each GET that missed it

	refuseText = "refuse"
)

// MaxFillDelay is the longest time from a miss to its fill.
const MaxFillDelay = time.Minute

// MayMiss reports whether GETs may miss without failing the run. A trace decides what they find.
func (l *Load) MayMiss() bool { return l.OnMiss != RefuseMisses || l.Replays() }

// Fills reports whether the client stores what a GET missed.
func (l *Load) Fills() bool { return l.OnMiss == FillMisses }

func (l *Load) validateMisses() error {
	if l.FillDelay > 0 && !l.Fills() {
		return l.refuse("fill_delay_ns", fmt.Sprintf("fill_delay: found %v with on_miss %s, "+
			"allowed: with on_miss fill; only fills wait", l.FillDelay,
			cmp.Or(l.OnMiss, refuseText)))
	}
	return nil
}
