package field

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"dpukv/internal/spelling"
)

// Field describes one field of the struct S.
type Field[S any] struct {
	Name string // in JSON: of points, and between orchestrator and node
	Key  string // in sweep files; "": all points of a sweep have one value
	// ID is the field's name in point IDs. It never changes: a run that began under other IDs can't
	// be continued.
	ID string
	// Optional leaves the zero value out of IDs. So a point keeps the ID that it had before the
	// field existed.
	Optional bool
	Title    string   // as a column, with the unit of Shown: "GET %"
	Label    string   // a value in words, a format of Shown: "batch %s"
	Noun     string   // what a whole number counts, instead of Label: "key"
	Allowed  string   // the range in words
	Help     string   // the meaning, in one sentence
	Example  string   // a value or values, as a sweep file has them
	Words    []string // all values, of a field with few
	// Default is the default in words, where it depends on other fields. Otherwise, it is empty.
	Default string
	Numeric bool // values are numbers, and ordered as such
	// InWords says that a value of a numeric field may also be words, which stand for the number.
	InWords bool
	// Of names who has the field, where not all have it; "": all.
	Of string
	// Own says that a server which runs already has its own value, unless a sweep asks for one.
	Own bool
	// Unset says that the zero value leaves the choice to who has the field. Untold says that
	// nobody tells which value is used.
	Unset, Untold bool

	Get    func(*S) any
	Copy   func(to, from *S)
	Format func(*S) string
	Parse  func(*S, string) error
	Num    func(*S) float64 // of a numeric field
	Show   func(*S) string  // nil: Format
	Word   func(*S) string  // a value in words, instead of Label; nil or "": Label

	SetTo func(*S) // of a field with Default
}

// ErrNotAllowed is the error of a text that is no value.
var ErrNotAllowed = errors.New("not allowed")

// Value returns the field's value, of its Go type.
func (f *Field[S]) Value(l *S) any { return f.Get(l) }

// Text returns the field's value in the words of a sweep file. Equal values have equal texts.
func (f *Field[S]) Text(l *S) string { return f.Format(l) }

// Number returns the value of a numeric field.
func (f *Field[S]) Number(l *S) float64 { return f.Num(l) }

// Shown returns the value as it stands below [Field.Title] in tables and figures.
func (f *Field[S]) Shown(l *S) string {
	if f.Show == nil {
		return f.Format(l)
	}
	return f.Show(l)
}

// Say returns the value in words, by Label.
func (f *Field[S]) Say(l *S) string {
	if f.Word != nil {
		if word := f.Word(l); word != "" {
			return word
		}
	}
	return fmt.Sprintf(f.Label, f.Shown(l))
}

// Set reads a value as [Field.Text] writes it. The error does not say what is allowed: see Allowed.
func (f *Field[S]) Set(l *S, text string) error { return f.Parse(l, text) }

// SetDefault sets a field with a default that depends on other fields, which are set already.
func (f *Field[S]) SetDefault(l *S) { f.SetTo(l) }

// Canonical returns the one text of a value that has several spellings.
func (f *Field[S]) Canonical(text string) (string, error) {
	var l S
	if err := f.Parse(&l, text); err != nil {
		return "", err
	}
	return f.Format(&l), nil
}

// IsZero reports whether the value is the zero value of its type.
func (f *Field[S]) IsZero(l *S) bool { return f.Get(l) == f.Get(new(S)) }

// Check refuses a value out of its range.
func (f *Field[S]) Check(l *S) error {
	var scratch S
	if f.Parse(&scratch, f.Format(l)) == nil {
		return nil
	}
	found := cmp.Or(f.Format(l), "nothing")
	return fmt.Errorf("%s: found %s%s, allowed: %s", cmp.Or(f.Key, f.Name), found,
		spelling.Hint(found, f.Words), f.Allowed)
}

// Of completes the row of a field by the text of its value, and by what reads it.
func Of[S, T any](
	f Field[S], at func(*S) *T, text func(T) string, parse func(string) (T, error),
) Field[S] {
	f.Get = func(l *S) any { return *at(l) }
	f.Copy = func(to, from *S) { *at(to) = *at(from) }
	f.Format = func(l *S) string { return text(*at(l)) }
	f.Parse = func(l *S, text string) error {
		v, err := parse(text)
		if err == nil {
			*at(l) = v
		}
		return err
	}
	return f
}

// Whole completes the row of a whole number from lo to hi.
func Whole[S any](f Field[S], lo, hi int, at func(*S) *int) Field[S] {
	f.Numeric = true
	f.Allowed = fmt.Sprintf("a whole number from %d to %d", lo, hi)
	f.Num = func(l *S) float64 { return float64(*at(l)) }
	return Of(f, at, strconv.Itoa, func(text string) (int, error) {
		n, err := strconv.Atoi(text)
		if err != nil || n < lo || n > hi {
			return 0, ErrNotAllowed
		}
		return n, nil
	})
}

// Decimal completes the row of a number from 0 to hi. unit converts it to the unit of the title.
func Decimal[S any](
	f Field[S], hi float64, unit func(float64) float64, at func(*S) *float64,
) Field[S] {
	f.Numeric = true
	f.Num = func(l *S) float64 { return *at(l) }
	f.Show = func(l *S) string { return Plain(unit(*at(l))) }
	return Of(f, at, Plain, func(text string) (float64, error) {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(x) || x < 0 || x > hi {
			return 0, ErrNotAllowed
		}
		return x + 0, nil // -0 becomes 0: equal values have one text
	})
}

// Plain formats a number in full, without an exponent.
func Plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// Word completes the row of a field with a fixed set of words.
func Word[S any](f Field[S], words []string, at func(*S) *string) Field[S] {
	f.Allowed, f.Words = strings.Join(words, ", "), words
	return Of(f, at, func(s string) string { return s }, func(text string) (string, error) {
		if !slices.Contains(words, text) {
			return "", ErrNotAllowed
		}
		return text, nil
	})
}

// WordOrNone completes the row of a field with a fixed set of words, of which none stands for the
// zero value.
func WordOrNone[S any](f Field[S], none string, others []string, at func(*S) *string) Field[S] {
	words := append([]string{none}, others...)
	f = TextOr(f, none, at, func(text string) bool { return slices.Contains(words, text) })
	f.Allowed, f.Words = strings.Join(words, ", "), words
	return f
}

// TextOr completes the row of an allowed text, of which none stands for the zero value.
func TextOr[S any](
	f Field[S], none string, at func(*S) *string, allowed func(string) bool,
) Field[S] {
	text := func(s string) string { return cmp.Or(s, none) }
	return Of(f, at, text, func(text string) (string, error) {
		switch {
		case !allowed(text):
			return "", ErrNotAllowed
		case text == none:
			return "", nil
		}
		return text, nil
	})
}

// UpTo completes the row of a duration from 0 to the longest one, as numbers. such is an example.
func UpTo[S any](
	f Field[S], longest time.Duration, such string, at func(*S) *time.Duration,
) Field[S] {
	f = timeUpTo(f, longest, at)
	f.Numeric, f.InWords = true, true
	f.Allowed = "a time from 0s to " + longest.String() + ", such as " + such
	f.Num = func(l *S) float64 { return float64(*at(l)) }
	return f
}

// Duration completes the row of a duration of 0 or more.
func Duration[S any](f Field[S], at func(*S) *time.Duration) Field[S] {
	f.Allowed = "0 or more"
	return timeUpTo(f, math.MaxInt64, at)
}

func timeUpTo[S any](f Field[S], longest time.Duration, at func(*S) *time.Duration) Field[S] {
	return Of(f, at, time.Duration.String, func(text string) (time.Duration, error) {
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 || d > longest {
			return 0, ErrNotAllowed
		}
		return d, nil
	})
}

// Seed completes the row of a seed; any value is allowed.
func Seed[S any](f Field[S], at func(*S) *uint64) Field[S] {
	f.Allowed = "a whole number of 64 bits"
	text := func(n uint64) string { return strconv.FormatUint(n, 10) }
	return Of(f, at, text, func(text string) (uint64, error) {
		return strconv.ParseUint(text, 10, 64)
	})
}

// WholeOr completes the row of a whole number from lo to hi, or of a word that stands for 0.
func WholeOr[S any](f Field[S], word string, lo, hi int, at func(*S) *int) Field[S] {
	f = Whole(f, lo, hi, at)
	f.InWords, f.Allowed = true, word+", or "+f.Allowed
	number, parse := f.Format, f.Parse
	f.Format = func(s *S) string {
		if *at(s) == 0 {
			return word
		}
		return number(s)
	}
	f.Parse = func(s *S, text string) error {
		if text == word {
			*at(s) = 0
			return nil
		}
		return parse(s, text)
	}
	return f
}

// Clear gives the field its zero value.
func (f *Field[S]) Clear(s *S) { f.Copy(s, new(S)) }
