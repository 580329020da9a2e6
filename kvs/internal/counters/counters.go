package counters

import (
	"fmt"
	"slices"
	"strconv"
)

// Reader parses counters, and keeps the first error. One that is missing counts as 0, and is noted:
// forks and older versions tell less.
type Reader struct {
	Text   map[string]string // by name
	Untold []string          // names of missing counters
	Err    error
}

// Told reports whether the server tells a counter.
func (r *Reader) Told(name string) bool {
	_, there := r.Text[name]
	if !there && !slices.Contains(r.Untold, name) {
		r.Untold = append(r.Untold, name)
	}
	return there
}

// Count reads a number.
func (r *Reader) Count(name string) uint64 {
	if !r.Told(name) {
		return 0
	}
	n, err := strconv.ParseUint(r.Text[name], 10, 64)
	r.Note(name, "a number", err)
	return n
}

// Nanoseconds reads a time that seconds parses.
func (r *Reader) Nanoseconds(name string, seconds func(text string) (float64, error)) int64 {
	if !r.Told(name) {
		return 0
	}
	s, err := seconds(r.Text[name])
	r.Note(name, "seconds", err)
	return int64(s * 1e9)
}

// Note keeps the error of a counter.
func (r *Reader) Note(name, want string, err error) {
	if err != nil && r.Err == nil {
		r.Err = fmt.Errorf("counter %s: found %q, allowed: %s", name, r.Text[name], want)
	}
}
