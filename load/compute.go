package load

import (
	"strconv"
	"time"
)

// MaxCompute is the longest compute of an application after a batch.
const MaxCompute = time.Second

// compute completes the row of Load.Compute. Tables and figures show it in microseconds.
func compute(f Field) Field {
	of := func(l *Load) *time.Duration { return &l.Compute }
	f = duration(f, of)
	f.Numeric, f.InWords = true, true
	f.Allowed = "a time from 0s to " + MaxCompute.String() + ", such as 5us"
	f.number = func(l *Load) float64 { return float64(l.Compute) }
	f.shown = func(l *Load) string {
		return strconv.FormatFloat(float64(l.Compute)/1e3, 'f', -1, 64)
	}
	parse := f.parse
	f.parse = func(l *Load, text string) error {
		var parsed Load
		if err := parse(&parsed, text); err != nil || parsed.Compute > MaxCompute {
			return errNotAllowed
		}
		l.Compute = parsed.Compute
		return nil
	}
	return f
}
