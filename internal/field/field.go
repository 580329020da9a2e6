package field

import (
	"cmp"
	"fmt"
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

	zero *S // nil: not of [Of]
}

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
func (f *Field[S]) IsZero(s *S) bool {
	zero := f.zero
	if zero == nil {
		zero = new(S)
	}
	return f.Get(s) == f.Get(zero)
}

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

// Of completes the row of a field by the texts of its values.
func Of[S, T any](f Field[S], at func(*S) *T, c Codec[T]) Field[S] {
	f.Allowed, f.Words = cmp.Or(f.Allowed, c.Allowed), c.Words
	f.zero = new(S)
	f.Get = func(s *S) any { return *at(s) }
	f.Copy = func(to, from *S) { *at(to) = *at(from) }
	f.Format = func(s *S) string { return c.Format(*at(s)) }
	f.Parse = func(s *S, text string) error {
		v, err := c.Parse(text)
		if err == nil {
			*at(s) = v
		}
		return err
	}
	return f
}

// Numbers completes the row of numbers.
func Numbers[S any, T int | int64 | float64 | time.Duration](
	f Field[S], at func(*S) *T, c Codec[T],
) Field[S] {
	f = Of(f, at, c)
	f.Numeric, f.InWords = true, !c.Number
	f.Num = func(s *S) float64 { return float64(*at(s)) }
	return f
}

// Texts is the codec of the field's canonical texts.
func (f *Field[S]) Texts() Codec[string] {
	return Codec[string]{f.Canonical, same, f.Allowed, f.Numeric && !f.InWords, f.Words}
}

// Clear gives the field its zero value.
func (f *Field[S]) Clear(s *S) { f.Copy(s, new(S)) }
