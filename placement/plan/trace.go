package plan

import (
	"fmt"
	"time"

	"dpukv/load"
	"dpukv/load/trace"
)

// Sized returns a workload whose number of keys and sizes are those of its trace, for servers that
// must have room for them. The sweep's machine has the file, too.
func Sized(w *load.Workload) (sized load.Workload, err error) {
	if sized = *w; !w.Replays() {
		return sized, nil
	}
	f, err := trace.Open(w.Trace)
	if err != nil {
		return sized, err
	}
	defer f.Close()
	s := f.Summary()
	sized.Keys = int(s.Keys) // a sample may take more than its share
	sized.KeyBytes, sized.ValueBytes = s.MaxKeyBytes, s.MaxValueBytes
	return sized, nil
}

// checkTrace refuses a trace that this machine lacks.
func (a *candidate) checkTrace() error {
	if !a.Replays() {
		return nil
	}
	at := a.sweep.Place("trace", a.Trace)
	f, err := trace.Open(a.Trace)
	if err != nil {
		return fmt.Errorf("%strace: %w; the sweep's machine needs the file as each client does, "+
			"to give the server room", at, err)
	}
	defer f.Close()
	firstNs, lastNs, err := f.Span(a.TraceBounds())
	if err != nil {
		return fmt.Errorf("%strace: %w", at, err)
	}
	if err := a.LastsFor(time.Duration(lastNs-firstNs), a.Duration); err != nil {
		return fmt.Errorf("%s%w", at, err)
	}
	return nil
}
