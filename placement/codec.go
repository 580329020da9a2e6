package placement

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
)

// codec turns the text of one value into the value and back. Equal values have one text, so that texts
// can be compared, filtered by and made into names.
type codec[T any] struct {
	parse   func(string) (T, error)
	format  func(T) string
	allowed string // ends the sentence "found …, allowed: …"
	number  bool   // not to be written in quotes
}

var errNotAllowed = errors.New("not allowed")

// word is one of some words. Those in later exist, but nothing here runs them yet.
func word(words []string, later ...string) codec[string] {
	allowed := strings.Join(words, ", ")
	if len(later) > 0 {
		allowed += " (not built yet: " + strings.Join(later, ", ") + ")"
	}
	return codec[string]{
		parse: func(s string) (string, error) {
			if !slices.Contains(words, s) {
				return "", errNotAllowed
			}
			return s, nil
		},
		format:  func(s string) string { return s },
		allowed: allowed,
	}
}

// whole is a whole number from lo to hi.
func whole(lo, hi int) codec[int] {
	return codec[int]{
		parse: func(s string) (int, error) {
			n, err := strconv.Atoi(s)
			if err != nil || n < lo || n > hi {
				return 0, errNotAllowed
			}
			return n, nil
		},
		format:  strconv.Itoa,
		allowed: "a whole number from " + strconv.Itoa(lo) + " to " + strconv.Itoa(hi),
		number:  true,
	}
}

// span is a time from lo to hi.
func span(lo, hi time.Duration) codec[time.Duration] {
	return codec[time.Duration]{
		parse: func(s string) (time.Duration, error) {
			d, err := time.ParseDuration(s)
			if err != nil || d < lo || d > hi {
				return 0, errNotAllowed
			}
			return d, nil
		},
		format:  time.Duration.String,
		allowed: "a time with its unit, such as 2s or 500ms, from " + lo.String() + " to " + hi.String(),
	}
}

var seeds = codec[uint64]{
	parse: func(s string) (uint64, error) {
		n, err := strconv.ParseUint(s, 10, 63) // JSON readers elsewhere hold 63 bits
		if err != nil {
			return 0, errNotAllowed
		}
		return n, nil
	},
	format:  func(n uint64) string { return strconv.FormatUint(n, 10) },
	allowed: "a whole number from 0 to 9223372036854775807",
	number:  true,
}
