package load

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

// Field describes one field of a [Load]: its names, its texts, its range. Code that treats all
// fields alike uses [Fields]: sweep files, point IDs, the check of used values, dimensions of
// results, and validation.
type Field struct {
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
	// Sizes says which sizes a field of sizes allows. Its values may name files: see [SizesFile].
	Sizes *SizesOf

	value  func(*Load) any
	text   func(*Load) string
	parse  func(*Load, string) error
	number func(*Load) float64 // of a numeric field
	shown  func(*Load) string  // nil: text

	setDefault func(*Load) // of a field with Default
}

var errNotAllowed = errors.New("not allowed")

// Value returns the field's value, of its Go type.
func (f *Field) Value(l *Load) any { return f.value(l) }

// Text returns the field's value in the words of a sweep file. Equal values have equal texts.
func (f *Field) Text(l *Load) string { return f.text(l) }

// Number returns the value of a numeric field.
func (f *Field) Number(l *Load) float64 { return f.number(l) }

// Shown returns the value as it stands below [Field.Title] in tables and figures.
func (f *Field) Shown(l *Load) string {
	if f.shown == nil {
		return f.text(l)
	}
	return f.shown(l)
}

// Say returns the value in words, by Label. Sizes with a name have no unit.
func (f *Field) Say(l *Load) string {
	if f.Sizes != nil && f.text(l) == etc {
		return fmt.Sprintf(strings.Replace(f.Label, "%s B", "%s's sizes of", 1), "ETC")
	}
	return fmt.Sprintf(f.Label, f.Shown(l))
}

// Set reads a value as [Field.Text] writes it. The error does not say what is allowed: see Allowed.
func (f *Field) Set(l *Load, text string) error { return f.parse(l, text) }

// SetDefault sets a field with a default that depends on other fields, which are set already.
func (f *Field) SetDefault(l *Load) { f.setDefault(l) }

// Canonical returns the one text of a value that has several spellings.
func (f *Field) Canonical(text string) (string, error) {
	var l Load
	if err := f.parse(&l, text); err != nil {
		return "", err
	}
	return f.text(&l), nil
}

// zeroLoad has the zero value of every field.
var zeroLoad Load

// IsZero reports whether the value is the zero value of its type.
func (f *Field) IsZero(l *Load) bool { return f.value(l) == f.value(&zeroLoad) }

func (f *Field) check(l *Load) error {
	var scratch Load
	if f.parse(&scratch, f.text(l)) == nil {
		return nil
	}
	found := cmp.Or(f.text(l), "nothing")
	return fmt.Errorf("%s: found %s%s, allowed: %s", cmp.Or(f.Key, f.Name), found,
		spelling.Hint(found, f.Words), f.Allowed)
}

// of completes the row of a field by the text of its value, and by what reads it.
func of[T any](
	f Field, at func(*Load) *T, text func(T) string, parse func(string) (T, error),
) Field {
	f.value = func(l *Load) any { return *at(l) }
	f.text = func(l *Load) string { return text(*at(l)) }
	f.parse = func(l *Load, text string) error {
		v, err := parse(text)
		if err == nil {
			*at(l) = v
		}
		return err
	}
	return f
}

// whole completes the row of a whole number from lo to hi.
func whole(f Field, lo, hi int, at func(*Load) *int) Field {
	f.Numeric = true
	f.Allowed = fmt.Sprintf("a whole number from %d to %d", lo, hi)
	f.number = func(l *Load) float64 { return float64(*at(l)) }
	return of(f, at, strconv.Itoa, func(text string) (int, error) {
		n, err := strconv.Atoi(text)
		if err != nil || n < lo || n > hi {
			return 0, errNotAllowed
		}
		return n, nil
	})
}

// decimal completes the row of a number from 0 to hi. unit converts it to the unit of the title.
func decimal(f Field, hi float64, unit func(float64) float64, at func(*Load) *float64) Field {
	f.Numeric = true
	f.number = func(l *Load) float64 { return *at(l) }
	f.shown = func(l *Load) string { return plain(unit(*at(l))) }
	return of(f, at, plain, func(text string) (float64, error) {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(x) || x < 0 || x > hi {
			return 0, errNotAllowed
		}
		return x + 0, nil // -0 becomes 0: equal values have one text
	})
}

// plain formats a number in full, without an exponent.
func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// percent converts a share to per cent. It drops the error of binary fractions: 0.07 is 7, not
// 7.000000000000001; and of two thirds all but four digits.
func percent(share float64) float64 { return math.Round(share*1e6) / 1e4 }

func mega(x float64) float64 { return x / 1e6 }

// distribution completes the row of a [Dist].
func distribution(f Field, at func(*Load) *Dist) Field {
	f.Allowed = DistAllowed
	return of(f, at, func(d Dist) string { return string(d) }, ParseDist)
}

// word completes the row of a field with a fixed set of words.
func word(f Field, words []string, at func(*Load) *string) Field {
	f.Allowed, f.Words = strings.Join(words, ", "), words
	return of(f, at, func(s string) string { return s }, func(text string) (string, error) {
		if !slices.Contains(words, text) {
			return "", errNotAllowed
		}
		return text, nil
	})
}

// wordOrNone completes the row of a field with a fixed set of words, of which none stands for the
// zero value.
func wordOrNone(f Field, none string, others []string, at func(*Load) *string) Field {
	words := append([]string{none}, others...)
	f = textOr(f, none, at, func(text string) bool { return slices.Contains(words, text) })
	f.Allowed, f.Words = strings.Join(words, ", "), words
	return f
}

// textOr completes the row of an allowed text, of which none stands for the zero value.
func textOr(f Field, none string, at func(*Load) *string, allowed func(string) bool) Field {
	text := func(s string) string { return cmp.Or(s, none) }
	return of(f, at, text, func(text string) (string, error) {
		switch {
		case !allowed(text):
			return "", errNotAllowed
		case text == none:
			return "", nil
		}
		return text, nil
	})
}

// upTo completes the row of a duration from 0 to the longest one, as numbers. such is an example.
func upTo(f Field, longest time.Duration, such string, at func(*Load) *time.Duration) Field {
	f = timeUpTo(f, longest, at)
	f.Numeric, f.InWords = true, true
	f.Allowed = "a time from 0s to " + longest.String() + ", such as " + such
	f.number = func(l *Load) float64 { return float64(*at(l)) }
	return f
}

// duration completes the row of a duration of 0 or more.
func duration(f Field, at func(*Load) *time.Duration) Field {
	f.Allowed = "0 or more"
	return timeUpTo(f, math.MaxInt64, at)
}

func timeUpTo(f Field, longest time.Duration, at func(*Load) *time.Duration) Field {
	return of(f, at, time.Duration.String, func(text string) (time.Duration, error) {
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 || d > longest {
			return 0, errNotAllowed
		}
		return d, nil
	})
}

// seed completes the row of a seed; any value is allowed.
func seed(f Field, at func(*Load) *uint64) Field {
	f.Allowed = "a whole number of 64 bits"
	text := func(n uint64) string { return strconv.FormatUint(n, 10) }
	return of(f, at, text, func(text string) (uint64, error) {
		return strconv.ParseUint(text, 10, 64)
	})
}
