package strictyaml

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Codec turns the text of one value into the value and back. Equal values have one text: texts can
// be compared, filtered by and made into names.
type Codec[T any] struct {
	Parse   func(string) (T, error)
	Format  func(T) string
	Allowed string // ends the sentence "found …, allowed: …"
	Number  bool   // not to be written in quotes
	// Words are the values, where they are few. A misspelt value gets the nearest as a hint.
	Words []string
}

// ErrNotAllowed means that a text is no value. [ReadValue] adds what was found and what is allowed.
var ErrNotAllowed = errors.New("not allowed")

// Unquoted is an error of a value that may contain a secret. [ReadValue] does not quote the value.
type Unquoted struct{ Reason error }

func (u Unquoted) Error() string { return u.Reason.Error() }

func (u Unquoted) Unwrap() error { return u.Reason }

// Word is one of some words.
func Word(words []string) Codec[string] {
	return Codec[string]{
		Parse: func(s string) (string, error) {
			if !slices.Contains(words, s) {
				return "", ErrNotAllowed
			}
			return s, nil
		},
		Format:  func(s string) string { return s },
		Allowed: strings.Join(words, ", "),
		Words:   words,
	}
}

// Whole is a codec for a whole number from lo to hi.
func Whole(lo, hi int) Codec[int] {
	return Codec[int]{
		Parse: func(s string) (int, error) {
			n, err := strconv.Atoi(s)
			if err != nil || n < lo || n > hi {
				return 0, ErrNotAllowed
			}
			return n, nil
		},
		Format:  strconv.Itoa,
		Allowed: "a whole number from " + strconv.Itoa(lo) + " to " + strconv.Itoa(hi),
		Number:  true,
	}
}

// Span is a codec for a time from lo to hi.
func Span(lo, hi time.Duration) Codec[time.Duration] {
	return Codec[time.Duration]{
		Parse: func(s string) (time.Duration, error) {
			d, err := time.ParseDuration(s)
			if err != nil || d < lo || d > hi {
				return 0, ErrNotAllowed
			}
			return d, nil
		},
		Format: time.Duration.String,
		Allowed: "a time with its unit, such as 2s or 500ms, from " + lo.String() + " to " +
			hi.String(),
	}
}

// Canonical is the one text of a value that may be written in several ways.
func (c Codec[T]) Canonical(text string) (string, error) {
	v, err := c.Parse(text)
	if err != nil {
		return "", err
	}
	return c.Format(v), nil
}
