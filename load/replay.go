package load

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"dpukv/internal/field"
	"dpukv/internal/numfmt"
)

// decidedByTrace are the sweep keys of what a trace has itself. Their fields are zero with one.
var decidedByTrace = map[string]func(*Load){
	"mix":           func(l *Load) { l.Mix = "" },
	"get_ratio":     func(l *Load) { l.GetRatio = 0 },
	"set_after":     func(l *Load) { l.SetAfter = "" },
	"dist":          func(l *Load) { l.Dist = "" },
	"keys":          func(l *Load) { l.Keys = 0 },
	"key_bytes":     func(l *Load) { l.KeyBytes, l.KeySizes = 0, "" },
	"key_prefix":    func(l *Load) { l.KeyPrefix = "" },
	"value_bytes":   func(l *Load) { l.ValueBytes, l.ValueSizes = 0, "" },
	"value_size_by": func(l *Load) { l.ValueSizeBy = "" },
	"ttl":           func(l *Load) { l.TTL = 0 },
	"rate":          func(l *Load) { l.RateOps = 0 },
	"arrivals":      func(l *Load) { l.Arrivals = "" },
	"requests":      func(l *Load) { l.Requests = 0 },
}

const (
	maxTraceSample = 1 << 20
	maxTraceSpeed  = 1e6
	// sampleOf begins the text of a sample: one key of so many.
	sampleOf = "1/"
)

// Replays reports whether the operations come from a trace.
func (w *Workload) Replays() bool { return w.Trace != "" }

// TraceDecides reports whether a trace decides the field with a sweep key.
func (w *Workload) TraceDecides(key string) bool {
	return w.Replays() && decidedByTrace[key] != nil
}

// LeaveToTrace clears the fields that the trace decides, but for those that were given.
func (l *Load) LeaveToTrace(given func(key string) bool) {
	for key, clear := range decidedByTrace {
		if !given(key) {
			clear(l)
		}
	}
}

// TraceBounds returns the first operation of the range and the one after the last; to is 0 for the
// trace's end.
func (w *Workload) TraceBounds() (from, to uint64) {
	from, to, _ = parseRange(w.TraceRange)
	return from, to
}

// validateTrace refuses what a trace has itself, and what only a trace has.
func (l *Load) validateTrace() error {
	if !l.Replays() {
		if l.TraceSpeed > 0 || l.TraceSample > 0 || l.TraceRange != "" {
			return l.refuse("trace", "trace_speed, trace_sample or trace_range: found without a "+
				"trace, allowed: with one")
		}
		return nil
	}
	for i := range fields {
		if f := &fields[i]; l.TraceDecides(f.Key) && !f.IsZero(l) {
			return l.refuse(f.Name, fmt.Sprintf("%s: found %s with a trace, allowed: without "+
				"one; the trace decides it", f.Key, f.Text(l)))
		}
	}
	return nil
}

// traceFile is the codec of the trace's path.
func traceFile() field.Codec[string] {
	return field.Or(none, field.Text("", func(text string) (string, bool) {
		return text, text != "" && len(text) <= maxTracePath && strings.Trim(text, pathBytes) == ""
	})).As("the path of a file that dpukv trace convert wrote, of letters, digits and " +
		"- _ . : / + @ ~, or none")
}

const (
	maxTracePath = 4096
	// pathBytes are those that neither YAML nor a list of values treats specially.
	pathBytes = prefixBytes + "+@~"
)

// traceSpeed completes the row of Workload.TraceSpeed.
func traceSpeed(f Field) Field {
	f.Allowed = fmt.Sprintf("a factor up to %g, or 0 for as fast as possible", maxTraceSpeed)
	f = decimal(f, maxTraceSpeed, func(x float64) float64 { return x },
		func(l *Load) *float64 { return &l.TraceSpeed })
	f.Show = func(l *Load) string {
		if l.TraceSpeed == 1 {
			return "as recorded"
		}
		return numfmt.Plain(l.TraceSpeed) + " × recorded"
	}
	f.SetTo = func(l *Load) {
		if l.TraceSpeed = 0; l.Replays() {
			l.TraceSpeed = 1
		}
	}
	return f
}

// traceSample is the codec of the share of the keys.
func traceSample() field.Codec[int] {
	n := field.Whole(2, maxTraceSample)
	return field.Or("1", field.Codec[int]{
		Parse: func(text string) (int, error) {
			number, begun := strings.CutPrefix(text, sampleOf)
			if !begun {
				return 0, field.ErrNotAllowed
			}
			return n.Parse(number)
		},
		Format: func(k int) string { return sampleOf + n.Format(k) },
	}).As(fmt.Sprintf("1/2 to 1/%d of the keys, or 1 for all", maxTraceSample))
}

// traceRange is the codec of the trace's operations.
func traceRange() field.Codec[string] {
	return field.Or(none, field.Text("", func(text string) (string, bool) {
		from, to, ok := parseRange(text)
		return fmt.Sprintf("%d-%d", from, to), ok
	})).As("FROM-TO, the first operation from 0 on and the one after the last, or none")
}

func parseRange(text string) (from, to uint64, ok bool) {
	first, last, _ := strings.Cut(text, "-")
	from, err1 := strconv.ParseUint(first, 10, 63)
	to, err2 := strconv.ParseUint(last, 10, 63)
	if err1 != nil || err2 != nil || from >= to {
		return 0, 0, false
	}
	return from, to, true
}

// LastsFor refuses a replay of a recorded time that is over before the measurement period is, or
// before it begins. A duration of 0 ends with the trace.
func (l *Load) LastsFor(recorded, duration time.Duration) error {
	if l.TraceSpeed == 0 || l.Warmup+duration == 0 {
		return nil
	}
	has := time.Duration(float64(recorded) / l.TraceSpeed)
	says := fmt.Sprintf("trace: found operations of %v at this speed, allowed: ",
		has.Round(time.Millisecond))
	switch {
	case duration == 0 && has < l.Warmup:
		return l.refuse("trace", says+fmt.Sprintf("the warm-up, %v, or more; shorten the warm-up",
			l.Warmup))
	case duration > 0 && has < l.Warmup+duration:
		return l.refuse("trace", says+fmt.Sprintf("warm-up and duration, %v, or more; leave the "+
			"duration out to replay them all", l.Warmup+duration))
	}
	return nil
}
