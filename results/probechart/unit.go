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
	OfMetric                   // of a metric, in the unit of its cells
)

// scales are the units of quantities.
var scales = map[Quantity]numfmt.Scale{
	Count: numfmt.NumberAxis, Size: numfmt.NumberAxis, Time: numfmt.TimeAxis,
	MemoryRate: numfmt.MemoryAxis, LinkRate: numfmt.LinkAxis, Rate: numfmt.EventsAxis,
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
