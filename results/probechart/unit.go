package probechart

import (
	"strconv"

	"dpukv/internal/numfmt"
)

// Quantity is what an axis measures. It decides the units.
type Quantity int

// The quantities of axes.
const (
	Count      Quantity = iota // of cores, threads, connections
	Size                       // in bytes
	Time                       // in nanoseconds
	MemoryRate                 // of a memory, in bytes a second
	LinkRate                   // of a network, in bytes a second; shown in bits
	Rate                       // in events a second
	Share                      // in per cent
)

// Unit turns a base unit into a more readable one.
type Unit struct {
	Name string  `json:"name"` // "": the number alone
	Per  float64 `json:"per"`  // base units in one of it
}

// unitOf is the unit that fits the greatest value of an axis.
func unitOf(q Quantity, greatest float64) Unit {
	switch q {
	case Time:
		switch {
		case greatest >= 100e6:
			return Unit{"ms", 1e6}
		case greatest >= 2e3:
			return Unit{"µs", 1e3}
		}
		return Unit{"ns", 1}
	case MemoryRate:
		return Unit{"GB/s", 1e9}
	case LinkRate:
		if greatest < 0.125e9 {
			return Unit{"Mb/s", 1e6 / 8}
		}
		return Unit{"Gb/s", 1e9 / 8}
	case Rate:
		if greatest >= 0.1e6 {
			return Unit{"M/s", 1e6}
		}
		return Unit{"1/s", 1}
	}
	return Unit{"", 1}
}

// SizeText writes a number of bytes: "64 B", "1 KiB".
func SizeText(bytes float64) string {
	n := int64(bytes)
	if n >= 1<<10 && n%(1<<10) == 0 {
		return spaced(numfmt.Size(n).String())
	}
	return strconv.FormatInt(n, 10) + " B"
}

// spaced puts a space between a number and its unit.
func spaced(text string) string {
	for i, c := range text {
		if c < '0' || c > '9' {
			return text[:i] + " " + text[i:]
		}
	}
	return text
}
