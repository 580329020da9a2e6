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

// whole completes the row of a whole number from lo to hi.
func whole(f Field, lo, hi int, of func(*Load) *int) Field {
	f.Numeric = true
	f.Allowed = fmt.Sprintf("a whole number from %d to %d", lo, hi)
	f.value = func(l *Load) any { return *of(l) }
	f.text = func(l *Load) string { return strconv.Itoa(*of(l)) }
	f.number = func(l *Load) float64 { return float64(*of(l)) }
	f.parse = func(l *Load, text string) error {
		n, err := strconv.Atoi(text)
		if err != nil || n < lo || n > hi {
			return errNotAllowed
		}
		*of(l) = n
		return nil
	}
	return f
}

// decimal completes the row of a number from 0 to hi. unit converts it to the unit of the title.
func decimal(f Field, hi float64, unit func(float64) float64, of func(*Load) *float64) Field {
	f.Numeric = true
	f.value = func(l *Load) any { return *of(l) }
	f.text = func(l *Load) string { return plain(*of(l)) }
	f.number = func(l *Load) float64 { return *of(l) }
	f.shown = func(l *Load) string { return plain(unit(*of(l))) }
	f.parse = func(l *Load, text string) error {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(x) || x < 0 || x > hi {
			return errNotAllowed
		}
		*of(l) = x + 0 // -0 becomes 0: equal values have one text
		return nil
	}
	return f
}

// plain formats a number in full, without an exponent.
func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// percent converts a share to per cent. It drops the error of binary fractions: 0.07 is 7, not
// 7.000000000000001; and of two thirds all but four digits.
func percent(share float64) float64 { return math.Round(share*1e6) / 1e4 }

func mega(x float64) float64 { return x / 1e6 }

// distribution completes the row of a [Dist].
func distribution(f Field, of func(*Load) *Dist) Field {
	f.Allowed = DistAllowed
	f.value = func(l *Load) any { return *of(l) }
	f.text = func(l *Load) string { return string(*of(l)) }
	f.parse = func(l *Load, text string) error {
		d, err := ParseDist(text)
		if err == nil {
			*of(l) = d
		}
		return err
	}
	return f
}

// word completes the row of a field with a fixed set of words.
func word(f Field, words []string, of func(*Load) *string) Field {
	f.Allowed, f.Words = strings.Join(words, ", "), words
	f.value = func(l *Load) any { return *of(l) }
	f.text = func(l *Load) string { return *of(l) }
	f.parse = func(l *Load, text string) error {
		if !slices.Contains(words, text) {
			return errNotAllowed
		}
		*of(l) = text
		return nil
	}
	return f
}

// wordOrNone completes the row of a field with a fixed set of words, of which none stands for the
// zero value.
func wordOrNone(f Field, none string, others []string, of func(*Load) *string) Field {
	f = word(f, append([]string{none}, others...), of)
	f.text = func(l *Load) string { return cmp.Or(*of(l), none) }
	parse := f.parse
	f.parse = func(l *Load, text string) error {
		err := parse(l, text)
		if *of(l) == none {
			*of(l) = ""
		}
		return err
	}
	return f
}

// upTo completes the row of a duration from 0 to the longest one, as numbers. such is an example.
func upTo(f Field, longest time.Duration, such string, of func(*Load) *time.Duration) Field {
	f = duration(f, of)
	f.Numeric, f.InWords = true, true
	f.Allowed = "a time from 0s to " + longest.String() + ", such as " + such
	f.number = func(l *Load) float64 { return float64(*of(l)) }
	parse := f.parse
	f.parse = func(l *Load, text string) error {
		var parsed Load
		if err := parse(&parsed, text); err != nil || *of(&parsed) > longest {
			return errNotAllowed
		}
		*of(l) = *of(&parsed)
		return nil
	}
	return f
}

// duration completes the row of a duration of 0 or more.
func duration(f Field, of func(*Load) *time.Duration) Field {
	f.Allowed = "0 or more"
	f.value = func(l *Load) any { return *of(l) }
	f.text = func(l *Load) string { return of(l).String() }
	f.parse = func(l *Load, text string) error {
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 {
			return errNotAllowed
		}
		*of(l) = d
		return nil
	}
	return f
}

// seed completes the row of a seed; any value is allowed.
func seed(f Field, of func(*Load) *uint64) Field {
	f.Allowed = "a whole number of 64 bits"
	f.value = func(l *Load) any { return *of(l) }
	f.text = func(l *Load) string { return strconv.FormatUint(*of(l), 10) }
	f.parse = func(l *Load, text string) error {
		n, err := strconv.ParseUint(text, 10, 64)
		if err == nil {
			*of(l) = n
		}
		return err
	}
	return f
}
