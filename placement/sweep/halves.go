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

// oneOfWhole leaves one configuration of those that differ only in keys that they lack: a whole
// server has no engine, and without a proxy it has no lanes. Other keys are of a store whose
// clients read items, or of ends that can be asked to poll.
func oneOfWhole(all []Config) []Config {
	seen := map[string]bool{}
	kept := all[:0]
	for _, c := range all {
		c.clearLacked()
		key := fmt.Sprintf("%+v", c)
		if !seen[key] {
			seen[key] = true
			kept = append(kept, c)
		}
	}
	return kept
}

// clearLacked clears the keys that the placement or the store has no use for.
func (c *Config) clearLacked() {
	engine, proxy := testbed.MaySplit(c.Placement)
	if !engine && !proxy {
		c.Answers, c.Wait = "", ""
	}
	if !engine {
		c.EngineThreads = 0
	}
	if !readsItems(c.Store) {
		c.Neighbourhood, c.Inline, c.ReadCheck = 0, "", ""
	}
	split, proxied := testbed.MustSplit(c.Placement)
	waits := waitsOf(c.Store)
	if !waits.Server || split {
		c.ServerWait = ""
	}
	if !waits.Clients || proxied {
		c.ClientWait = ""
	}
}
