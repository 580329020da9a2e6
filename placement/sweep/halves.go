package sweep

import (
	"fmt"

	"dpukv/kvs"
	"dpukv/kvs/stores"
	"dpukv/placement/testbed"
)

// oneOfWhole leaves one configuration of those that differ only in what they do not have.
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

// clearLacked clears the fields that the configuration lacks.
func (c *Config) clearLacked() {
	for i := range sweepKeys {
		if k := &sweepKeys[i]; !c.has(k.owner) {
			k.clear(c)
		}
	}
}

// has reports whether the placement and the store have the fields of an owner: see
// [field.Field.Of]. A placement that is not the study's may be split.
func (c *Config) has(owner string) bool {
	if owner == "" {
		return true
	}
	st, err := stores.Named(c.Store)
	if err != nil {
		panic(err) // the key store has no other values
	}
	engine, proxy := testbed.MaySplit(c.Placement)
	split, proxied := testbed.MustSplit(c.Placement)
	switch owner {
	case kvs.OfLanes:
		return engine || proxy
	case kvs.OfEngine:
		return engine
	case kvs.OfReads:
		return st.Reads
	case kvs.OfWorkers:
		return st.Waits.Server && !split
	case kvs.OfClients:
		return st.Waits.Clients && !proxied
	}
	panic("sweep: nobody is " + owner)
}

// StoresWith are the stores that have the fields of an owner in a whole placement.
func StoresWith(owner string) []string {
	return stores.NamesOf(func(st *kvs.Store) bool {
		return (&Config{Store: st.Name, Placement: Default().Axes[placementKey][0]}).has(owner)
	})
}

// UnusedKey returns a key that the file has, although no configuration has the field, and who would
// have it; "": there is none. Whole placements beside keys of halves are no mistake: a file may be
// for several testbeds.
func (s *Sweep) UnusedKey() (key, owner string) {
	for i := range sweepKeys {
		k, used := &sweepKeys[i], false
		for _, store := range s.Axes["store"] {
			for _, placement := range s.Axes[placementKey] {
				used = used || (&Config{Store: store, Placement: placement}).has(k.owner)
			}
		}
		if !used && k.owner != kvs.OfLanes && k.owner != kvs.OfEngine && s.says(k.name) {
			return k.name, k.owner
		}
	}
	return "", ""
}
