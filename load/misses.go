package load

import (
	"cmp"
	"fmt"
	"time"

	"dpukv/internal/spelling"
)

// The values of Load.OnMiss.
const (
	RefuseMisses = ""        // too many misses fail the run
	AllowMisses  = "allowed" // GETs may miss: the hit rate is a result
	FillMisses   = "filled"  // allowed, and the client SETs a key after each GET that missed it

	refusedText = "refused"
)

// MaxFillDelay is the longest time from a miss to its fill.
const MaxFillDelay = time.Minute

// MayMiss reports whether GETs may miss without failing the run.
func (l *Load) MayMiss() bool { return l.OnMiss != RefuseMisses }

// Fills reports whether the client stores what a GET missed.
func (l *Load) Fills() bool { return l.OnMiss == FillMisses }

// ParseOnMiss reads a value of [Load.OnMiss] as [Field.Text] writes it.
func ParseOnMiss(text string) (string, error) {
	var l Load
	f := onMiss(Field{Key: "misses"})
	if f.parse(&l, text) != nil {
		return "", fmt.Errorf("misses: found %q%s, allowed: %s", text,
			spelling.Hint(text, f.Words), f.Allowed)
	}
	return l.OnMiss, nil
}

// onMiss completes the row of Load.OnMiss.
func onMiss(f Field) Field {
	words := []string{refusedText, AllowMisses, FillMisses}
	f = word(f, words, func(l *Load) *string { return &l.OnMiss })
	f.text = func(l *Load) string { return cmp.Or(l.OnMiss, refusedText) }
	parse := f.parse
	f.parse = func(l *Load, text string) error {
		err := parse(l, text)
		if l.OnMiss == refusedText {
			l.OnMiss = RefuseMisses
		}
		return err
	}
	return f
}

// fillDelay completes the row of Load.FillDelay.
func fillDelay(f Field) Field {
	of := func(l *Load) *time.Duration { return &l.FillDelay }
	f = duration(f, of)
	f.Numeric, f.InWords = true, true
	f.Allowed = "a time from 0s to " + MaxFillDelay.String() + ", such as 1ms"
	f.number = func(l *Load) float64 { return float64(l.FillDelay) }
	parse := f.parse
	f.parse = func(l *Load, text string) error {
		var parsed Load
		if err := parse(&parsed, text); err != nil || parsed.FillDelay > MaxFillDelay {
			return errNotAllowed
		}
		l.FillDelay = parsed.FillDelay
		return nil
	}
	return f
}

func (l *Load) validateMisses() error {
	if l.FillDelay > 0 && !l.Fills() {
		return l.refuse("fill_delay_ns", fmt.Sprintf("fill_delay: found %v with misses %s, "+
			"allowed: with misses filled; only fills wait", l.FillDelay,
			cmp.Or(l.OnMiss, refusedText)))
	}
	return nil
}
