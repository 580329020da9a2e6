package load

import (
	"math"

	"dpukv/internal/field"
)

// Field is a row of the table of a load's fields. Code that treats all fields alike uses [Fields].
type Field = field.Field[Load]

// These complete rows.
var (
	whole      = field.Whole[Load]
	decimal    = field.Decimal[Load]
	word       = field.Word[Load]
	wordOrNone = field.WordOrNone[Load]
	textOr     = field.TextOr[Load]
	upTo       = field.UpTo[Load]
	duration   = field.Duration[Load]
	seed       = field.Seed[Load]

	plain         = field.Plain
	errNotAllowed = field.ErrNotAllowed
)

// distribution completes the row of a [Dist].
func distribution(f Field, at func(*Load) *Dist) Field {
	f.Allowed = DistAllowed
	return field.Of(f, at, func(d Dist) string { return string(d) }, ParseDist)
}

// percent converts a share to per cent. It drops the error of binary fractions: 0.07 is 7, not
// 7.000000000000001; and of two thirds all but four digits.
func percent(share float64) float64 { return math.Round(share*1e6) / 1e4 }

func mega(x float64) float64 { return x / 1e6 }
