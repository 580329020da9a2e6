package sweep

import (
	"fmt"
	"strconv"

	"dpukv/internal/strictyaml"
	"dpukv/placement/testbed"
	"dpukv/verbs/idle"
	"dpukv/verbs/mqueue"
)

// sameThreads gives an engine as many threads as its store half.
const sameThreads = "server_threads"

// engineThreads are the threads of an engine.
var engineThreads = strictyaml.Codec[int]{
	Parse: func(s string) (int, error) {
		if s == sameThreads {
			return 0, nil
		}
		return strictyaml.Whole(1, maxThreads).Parse(s)
	},
	Format: func(n int) string {
		if n == 0 {
			return sameThreads
		}
		return strconv.Itoa(n)
	},
	Allowed: sameThreads + ", or " + strictyaml.Whole(1, maxThreads).Allowed,
}

// answersOfLanes are the ways of messages out of the memory of a half, and waitOfHalves is how
// threads of halves wait.
var (
	answersOfLanes = usualOr(string(mqueue.Read), string(mqueue.Written))
	waitOfHalves   = usualOr(string(idle.Poll), string(idle.Nap))
)

// ofHalves leaves the default of a key of some placements or stores out of IDs, as if the key did
// not exist.
func (k sweepKey) ofHalves() sweepKey {
	of := k.identity
	k.identity = func(c *Config) any {
		switch value := of(c).(type) {
		case int:
			if value == 0 {
				return nil
			}
		case string:
			if value == "" {
				return nil
			}
		}
		return of(c)
	}
	return k
}

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
