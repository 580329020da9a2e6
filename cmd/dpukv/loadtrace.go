package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"dpukv/load/trace"
)

// asRecorded leaves to the trace what the user left out.
func (f *loadFlags) asRecorded(given func(flag string) bool) {
	f.cfg.LeaveToTrace(func(key string) bool { return given(strings.ReplaceAll(key, "_", "-")) })
	if !given("trace-speed") {
		f.cfg.TraceSpeed = 1
	}
	if !given("warmup") {
		f.cfg.Warmup = 0
	}
	if !given("duration") {
		f.cfg.Duration = 0
	}
}

// findTrace refuses a trace that is not there. It converts a CSV file into the compact form, in a
// file that done removes.
func (f *loadFlags) findTrace(cmd *cobra.Command) (done func() error, err error) {
	done = func() error { return nil }
	if !f.cfg.Replays() {
		return done, nil
	}
	compact, err := trace.Open(f.cfg.Trace)
	switch {
	case err == nil:
		return done, compact.Close()
	case !errors.Is(err, trace.ErrNotCompact):
		return done, usagef("load: trace: %w", err)
	}
	dir, err := os.MkdirTemp("", "dpukv-trace-*")
	if err != nil {
		return done, fmt.Errorf("load: trace: %w", err)
	}
	done = func() error { return os.RemoveAll(dir) }
	f.cfg.Converted = filepath.Join(dir, filepath.Base(f.cfg.Trace)+".trace")
	if err := f.convert(cmd); err != nil {
		return func() error { return nil }, errors.Join(err, done())
	}
	return done, nil
}

func (f *loadFlags) convert(cmd *cobra.Command) error {
	w := cmd.ErrOrStderr()
	fmt.Fprintf(w, "dpukv: converts %s into %s, which goes with this load; to keep it: dpukv "+
		"trace convert %[1]s FILE\n", f.cfg.Trace, f.cfg.Converted)
	s, err := trace.Convert(cmd.Context(), f.cfg.Trace, f.cfg.Converted,
		progress(cmd, f.cfg.Trace))
	switch {
	case errors.Is(err, trace.ErrNoMemory):
		return fmt.Errorf("load: trace: %w", err)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, trace.ErrNoDisk):
		return fmt.Errorf("load: trace: %w; to do: name a folder with more room in TMPDIR, or "+
			"convert the file elsewhere: dpukv trace convert", err)
	case cmd.Context().Err() != nil:
		return err
	case err != nil:
		return usagef("load: trace: %w", err)
	}
	return s.WriteText(w)
}
