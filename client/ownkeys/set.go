package ownkeys

import (
	"fmt"
	"slices"
	"strings"

	"dpukv/kvs"
	"dpukv/load"
)

// Set names the keys 0 to Keys-1 of a workload.
type Set struct {
	Keys     int `json:"keys"`
	KeyBytes int `json:"key_bytes"`
	// KeySizes is the distribution of the keys' sizes, if they have several.
	KeySizes  load.Sizes `json:"key_sizes,omitempty"`
	KeyPrefix string     `json:"key_prefix,omitempty"`
	// ValueBytes is the mean size of the values.
	ValueBytes int `json:"value_bytes"`
}

// SetOf names the keys of a workload.
func SetOf(w *load.Workload) Set {
	return Set{
		Keys: w.Keys, KeyBytes: w.KeyBytes, KeySizes: w.KeySizes, KeyPrefix: w.KeyPrefix,
		ValueBytes: w.ValueBytes,
	}
}

// same reports whether the keys of one set are among those of the other.
func (s *Set) same(o *Set) bool {
	return s.KeyBytes == o.KeyBytes && s.KeySizes == o.KeySizes && s.KeyPrefix == o.KeyPrefix
}

// Add adds a set to others. Of two whose keys have the same names, one with all their keys stays.
func Add(sets []Set, s Set) []Set {
	i := slices.IndexFunc(sets, func(o Set) bool { return s.same(&o) })
	if i < 0 {
		return append(sets, s)
	}
	sets[i].Keys = max(sets[i].Keys, s.Keys)
	sets[i].ValueBytes = max(sets[i].ValueBytes, s.ValueBytes)
	return sets
}

// Describe says how many keys the sets have, and their sizes.
func Describe(sets []Set) string {
	var parts []string
	var bytes float64
	for i := range sets {
		s := &sets[i]
		name := ""
		if s.KeyPrefix != "" {
			name = " " + s.KeyPrefix + "…"
		}
		parts = append(parts, fmt.Sprintf("%d keys%s of %d bytes with values of %d bytes", s.Keys,
			name, s.KeyBytes, s.ValueBytes))
		bytes += float64(s.Keys) * float64(s.KeyBytes+s.ValueBytes)
	}
	return fmt.Sprintf("%s (%.3g MB in all)", strings.Join(parts, ", "), bytes/1e6)
}

// total is the number of keys of all sets.
func total(sets []Set) (n uint64) {
	for i := range sets {
		n += uint64(sets[i].Keys)
	}
	return n
}

// workload has the set's keys.
func (s *Set) workload() *load.Workload {
	return &load.Workload{
		Keys: s.Keys, KeyBytes: s.KeyBytes, KeySizes: s.KeySizes, KeyPrefix: s.KeyPrefix,
	}
}

// Guards reports whether a store's servers may hold keys of others: they are not dpukv's own.
func Guards(st *kvs.Store) bool { return st.Attach != nil }
