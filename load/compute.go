package load

import (
	"strconv"
	"time"
)

// MaxCompute is the longest compute of an application after a batch.
const MaxCompute = time.Second

// compute completes the row of Load.Compute. Tables and figures show it in microseconds.
func compute(f Field) Field {
	f = delay(f, MaxCompute, "5us", func(l *Load) *time.Duration { return &l.Compute })
	f.Show = func(l *Load) string {
		return strconv.FormatFloat(float64(l.Compute)/1e3, 'f', -1, 64)
	}
	return f
}
