package numfmt

import (
	"fmt"
	"math"
)

// Unit turns a base unit into a more readable one.
type Unit struct {
	Name string  `json:"name"` // "": the number alone
	Per  float64 `json:"per"`  // base units in one of it
}

// Of writes a value in the unit, with three significant digits.
func (u Unit) Of(x float64) string { return Digits3(x/u.Per) + " " + u.Name }

// Exact writes a value in the unit, with four significant digits at most.
func (u Unit) Exact(x float64) string { return fmt.Sprintf("%.4g %s", x/u.Per, u.Name) }

// Scale is the units of a quantity, each with the least value that it is for.
type Scale []struct {
	Unit
	From float64
}

// Unit is the one that fits the greatest of some values.
func (s Scale) Unit(greatest float64) Unit {
	chosen := s[0].Unit
	for _, u := range s {
		if math.Abs(greatest) >= u.From {
			chosen = u.Unit
		}
	}
	return chosen
}

// What rounds to a thousand of one unit is one of the next.
var (
	rateScale = Scale{
		{Unit{"ops/s", 1}, 0}, {Unit{"kops", 1e3}, 999.5}, {Unit{"Mops", 1e6}, 999.5e3},
	}
	timeScale = Scale{
		{Unit{"ns", 1}, 0},
		{Unit{"µs", 1e3}, 999.5},
		{Unit{"ms", 1e6}, 999.5e3},
		{Unit{"s", 1e9}, 999.5e6},
	}
)

// The units of axes, which have few labels. They prefer the smaller unit.
var (
	RateAxis    = Scale{{Unit{"kops", 1e3}, 0}, {Unit{"Mops", 1e6}, 0.1e6}}
	LatencyAxis = Scale{{Unit{"µs", 1e3}, 0}, {Unit{"ms", 1e6}, 100e6}}
	TimeAxis    = Scale{{Unit{"ns", 1}, 0}, {Unit{"µs", 1e3}, 2e3}, {Unit{"ms", 1e6}, 100e6}}
	LinkAxis    = Scale{{Unit{"Mb/s", 1e6 / 8}, 0}, {Unit{"Gb/s", 1e9 / 8}, 0.125e9}}
	MemoryAxis  = Scale{{Unit{"GB/s", 1e9}, 0}}
	EventsAxis  = Scale{{Unit{"1/s", 1}, 0}, {Unit{"M/s", 1e6}, 0.1e6}}
	NumberAxis  = Scale{{Unit{"", 1}, 0}} // of counts, and of what has ticks of its own
)
