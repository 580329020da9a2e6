package load

import (
	"math"
	"time"

	"dpukv/internal/field"
	"dpukv/internal/numfmt"
)

// Field is a row of the table of a load's fields. Code that treats all fields alike uses [Fields].
type Field = field.Field[Load]

// whole completes the row of a whole number from lo to hi.
func whole(f Field, lo, hi int, at func(*Load) *int) Field {
	return field.Numbers(f, at, field.Whole(lo, hi))
}

// decimal completes the row of a number from 0 to hi. unit converts it to the unit of the title.
func decimal(
	f Field, hi float64, unit func(float64) float64, at func(*Load) *float64,
) Field {
	f = field.Numbers(f, at, field.Decimal(hi))
	f.Show = func(l *Load) string { return numfmt.Plain(unit(*at(l))) }
	return f
}

// word completes the row of a field with a fixed set of words, of which usual stands for "".
func word(f Field, at func(*Load) *string, usual string, others ...string) Field {
	return field.Of(f, at, field.Or(usual, field.Word(others)))
}

// delay completes the row of a time up to the longest one. such is an example.
func delay(f Field, longest time.Duration, such string, at func(*Load) *time.Duration) Field {
	return field.Numbers(f, at, field.Span(0, longest).As(
		"a time from 0s to "+longest.String()+", such as "+such))
}

// percent converts a share to per cent. It drops the error of binary fractions: 0.07 is 7, not
// 7.000000000000001; and of two thirds all but four digits.
func percent(share float64) float64 { return math.Round(share*1e6) / 1e4 }

func mega(x float64) float64 { return x / 1e6 }
