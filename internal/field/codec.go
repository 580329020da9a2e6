package field

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"dpukv/internal/numfmt"
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

// ErrNotAllowed means that a text is no value. Who reads it adds what was found, and what is
// allowed.
var ErrNotAllowed = errors.New("not allowed")

// Unquoted is an error of a value that may contain a secret, which errors do not quote.
type Unquoted struct{ Reason error }

func (u Unquoted) Error() string { return u.Reason.Error() }

func (u Unquoted) Unwrap() error { return u.Reason }

// Canonical is the one text of a value that may be written in several ways.
func (c Codec[T]) Canonical(text string) (string, error) {
	v, err := c.Parse(text)
	if err != nil {
		return "", err
	}
	return c.Format(v), nil
}

// Texts is the codec of the canonical texts.
func (c Codec[T]) Texts() Codec[string] {
	return Codec[string]{Parse: c.Canonical, Format: same, Allowed: c.Allowed, Words: c.Words}
}

func same(text string) string { return text }

// Text is a codec of texts. parse returns them as they are compared.
func Text(allowed string, parse func(string) (as string, ok bool)) Codec[string] {
	return Codec[string]{
		Parse: func(text string) (string, error) {
			if as, ok := parse(text); ok {
				return as, nil
			}
			return "", ErrNotAllowed
		},
		Format: same, Allowed: allowed,
	}
}

// Word is one of some words.
func Word(words []string) Codec[string] {
	c := Text(strings.Join(words, ", "), func(text string) (string, bool) {
		return text, slices.Contains(words, text)
	})
	c.Words = words
	return c
}

// Or also allows a word, which stands for the zero value.
func Or[T comparable](word string, c Codec[T]) Codec[T] {
	var zero T
	or := Codec[T]{
		Parse: func(text string) (T, error) {
			if text == word {
				return zero, nil
			}
			return c.Parse(text)
		},
		Format: func(v T) string {
			if v == zero {
				return word
			}
			return c.Format(v)
		},
		Allowed: word + ", or " + c.Allowed,
	}
	if c.Words != nil {
		or.Words, or.Allowed = append([]string{word}, c.Words...), word+", "+c.Allowed
	}
	return or
}

// As says in other words what a codec allows.
func (c Codec[T]) As(allowed string) Codec[T] {
	c.Allowed = allowed
	return c
}

// Whole is a whole number from lo to hi.
func Whole(lo, hi int) Codec[int] {
	return Codec[int]{
		Parse: func(text string) (int, error) {
			n, err := strconv.Atoi(text)
			return n, unless(err == nil && n >= lo && n <= hi)
		},
		Format:  strconv.Itoa,
		Allowed: fmt.Sprintf("a whole number from %d to %d", lo, hi),
		Number:  true,
	}
}

// Unsigned is a whole number of some bits.
func Unsigned(bits int, allowed string) Codec[uint64] {
	return Codec[uint64]{
		Parse: func(text string) (uint64, error) {
			n, err := strconv.ParseUint(text, 10, bits)
			return n, unless(err == nil)
		},
		Format:  func(n uint64) string { return strconv.FormatUint(n, 10) },
		Allowed: allowed,
		Number:  true,
	}
}

// Decimal is a number from 0 to hi.
func Decimal(hi float64) Codec[float64] {
	return Codec[float64]{
		Parse: func(text string) (float64, error) {
			x, err := strconv.ParseFloat(text, 64)
			// -0 becomes 0: equal values have one text
			return x + 0, unless(err == nil && !math.IsNaN(x) && x >= 0 && x <= hi)
		},
		Format: numfmt.Plain,
		Number: true,
	}
}

// Span is a time from lo to hi.
func Span(lo, hi time.Duration) Codec[time.Duration] {
	return Codec[time.Duration]{
		Parse: func(text string) (time.Duration, error) {
			d, err := time.ParseDuration(text)
			return d, unless(err == nil && d >= lo && d <= hi)
		},
		Format: time.Duration.String,
		Allowed: "a time with its unit, such as 2s or 500ms, from " + lo.String() + " to " +
			hi.String(),
	}
}

// unless is the error of a text that is no value.
func unless(allowed bool) error {
	if allowed {
		return nil
	}
	return ErrNotAllowed
}
