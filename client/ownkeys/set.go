package ownkeys

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"dpukv/kvs"
	"dpukv/load"
	"dpukv/load/trace"
)

// Set names the keys 0 to Keys-1 of a workload, or those that a trace changes.
type Set struct {
	// Trace is the file; "": there is none. Of a trace, the other fields are 0.
	Trace    string     `json:"trace,omitempty"`
	Part     *trace.Cut `json:"part,omitempty"`  // of the trace
	Fills    bool       `json:"fills,omitempty"` // keys that GETs miss are stored, too
	Keys     int        `json:"keys"`
	KeyBytes int        `json:"key_bytes"`
	// KeySizes is the distribution of the keys' sizes, if they have several.
	KeySizes  load.Sizes `json:"key_sizes,omitempty"`
	KeyPrefix string     `json:"key_prefix,omitempty"`
	// ValueBytes is the mean size of the values, and ValueSizes their distribution.
	ValueBytes int        `json:"value_bytes"`
	ValueSizes load.Sizes `json:"value_sizes,omitempty"`
}

// SetOf names the keys of a load.
func SetOf(w *load.Load) Set {
	if w.Replays() {
		part := trace.Cut{Sample: w.TraceSample}
		part.From, part.To = w.TraceBounds()
		return Set{Trace: w.Trace, Part: &part, Fills: w.Fills()}
	}
	return Set{
		Keys: w.Keys, KeyBytes: w.KeyBytes, KeySizes: w.KeySizes, KeyPrefix: w.KeyPrefix,
		ValueBytes: w.ValueBytes, ValueSizes: w.ValueSizes,
	}
}

// Same reports whether the keys of one set are among those of the other, whichever that is.
func (s *Set) Same(o *Set) bool {
	if s.Trace != o.Trace || s.Trace != "" && (*s.Part != *o.Part) {
		return false
	}
	return s.KeyBytes == o.KeyBytes && s.KeySizes == o.KeySizes && s.KeyPrefix == o.KeyPrefix
}

// MayShare reports whether keys of two sets that are not the same may have one name. Keys of one
// size each never have.
func (s *Set) MayShare(o *Set) bool {
	return !s.Same(o) && (s.Trace+o.Trace != "" || s.KeySizes+o.KeySizes != "")
}

// Add adds a set to others. Of two whose keys have the same names, one with all their keys stays.
func Add(sets []Set, s Set) []Set {
	i := slices.IndexFunc(sets, func(o Set) bool { return s.Same(&o) })
	if i < 0 {
		return append(sets, s)
	}
	sets[i].Keys = max(sets[i].Keys, s.Keys)
	if s.ValueBytes > sets[i].ValueBytes {
		sets[i].ValueBytes, sets[i].ValueSizes = s.ValueBytes, s.ValueSizes
	}
	sets[i].Fills = sets[i].Fills || s.Fills
	return sets
}

// Describe says how many keys the sets have, and their sizes. A trace says that of its keys.
func Describe(sets []Set) string {
	var parts []string
	var bytes float64
	for i := range sets {
		s := &sets[i]
		if s.Trace != "" {
			parts = append(parts, "the keys of the trace "+filepath.Base(s.Trace))
			continue
		}
		name := ""
		if s.KeyPrefix != "" {
			name = " " + s.KeyPrefix + "…"
		}
		parts = append(parts, fmt.Sprintf("%d keys%s of %d bytes with values of %d bytes", s.Keys,
			name, s.KeyBytes, s.ValueBytes))
		bytes += float64(s.Keys) * float64(s.KeyBytes+s.ValueBytes)
	}
	if bytes == 0 {
		return strings.Join(parts, ", ")
	}
	return fmt.Sprintf("%s (%.3g MB in all)", strings.Join(parts, ", "), bytes/1e6)
}

// workload has the set's keys.
func (s *Set) workload() *load.Workload {
	return &load.Workload{
		Keys: s.Keys, KeyBytes: s.KeyBytes, KeySizes: s.KeySizes, KeyPrefix: s.KeyPrefix,
		ValueBytes: s.ValueBytes, ValueSizes: s.ValueSizes,
	}
}

// Guards reports whether a store's servers may hold keys of others: they are not dpukv's own.
func Guards(st *kvs.Store) bool { return st.Attach != nil }
