package sweep

import (
	"fmt"

	"dpukv/placement/testbed"
	"dpukv/verbs/idle"
	"dpukv/verbs/mqueue"
)

// engineThreads are the threads of an engine: as many as its store half has, or others.
var engineThreads = wholeOr("server_threads", 1, maxThreads)

// answersOfLanes are the ways of messages out of the memory of a half, and waitOfHalves is how
// threads of halves wait.
var (
	answersOfLanes = usualOr(string(mqueue.Read), string(mqueue.Written))
	waitOfHalves   = usualOr(string(idle.Poll), string(idle.Nap))
)

// oneOfWhole leaves one configuration of those that differ only in keys of halves that a placement
// lacks: a whole server has no engine, and without a proxy it has no lanes. Other keys are of a
// store whose clients read items.
func oneOfWhole(all []Config) []Config {
	seen := map[string]bool{}
	kept := all[:0]
	for _, c := range all {
		lanes, engine := testbed.MaySplit(c.Placement)
		if !lanes {
			c.Answers, c.Wait = "", ""
		}
		reads := readsItems(c.Store)
		if !reads {
			c.Neighbourhood, c.Inline, c.ReadCheck = 0, "", ""
		}
		if !engine {
			c.EngineThreads = 0
		}
		if !engine || !reads {
			key := fmt.Sprintf("%+v", c)
			if seen[key] {
				continue
			}
			seen[key] = true
		}
		kept = append(kept, c)
	}
	return kept
}
