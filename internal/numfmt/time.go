package numfmt

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Unit turns a base unit into a more readable one.
type Unit struct {
	Name string
	Per  float64 // base units in one of it
}

// Of writes a value in the unit, with three significant digits.
func (u Unit) Of(x float64) string { return Digits3(x/u.Per) + " " + u.Name }

var timeUnits = []Unit{{"ns", 1}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}}

// TimeUnit is the unit for the greatest of some times, in nanoseconds. A column and an axis have
// one unit.
func TimeUnit(greatest float64) Unit {
	chosen := timeUnits[0]
	for _, u := range timeUnits {
		// What rounds to a thousand of one unit is one of the next.
		if math.Abs(greatest) >= 999.5*u.Per/1e3 {
			chosen = u
		}
	}
	return chosen
}

// Nanoseconds writes a measured time with three significant digits: "13.0 ms".
func Nanoseconds(ns float64) string { return TimeUnit(ns).Of(ns) }

// Duration writes a time with three significant digits at most: a setting as "2 s", "200 µs", and a
// measured time as "13.0 ms". From a minute on, it has whole seconds: "3m20s".
func Duration(d time.Duration) string {
	if d.Abs() >= time.Minute {
		return d.Round(time.Second).String()
	}
	u := TimeUnit(float64(d))
	if exact := strconv.FormatFloat(float64(d)/u.Per, 'f', -1, 64); digits(exact) <= 3 {
		return exact + " " + u.Name
	}
	return u.Of(float64(d))
}

// digits counts the digits of a number, leading zeros apart.
func digits(number string) int {
	return len(strings.TrimLeft(strings.NewReplacer("-", "", ".", "").Replace(number), "0"))
}
