package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"sync/atomic"
	"syscall"

	"dpukv/placement/submode/step"
)

// interrupted is why the context of a command ended: a signal came.
type interrupted struct{ syscall.Signal }

func (s interrupted) Error() string { return s.String() + " signal received" }

// status is the exit status of a command that the signal ended, as shells tell it.
func (s interrupted) status() int { return exitSignal + int(s.Signal) }

// untilSignal returns a context that the first signal ends: Ctrl-C, a request to end, or a closed
// terminal. Commands then clean up. A second signal ends the process at once, with a word on what
// that leaves. Signals that are ignored stay so, as a hang-up under nohup.
func untilSignal(stderr io.Writer) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	go func() {
		cancel(interrupted{(<-signals).(syscall.Signal)})
		second := interrupted{(<-signals).(syscall.Signal)}
		if what := stays.Load(); what != nil && *what != "" {
			fmt.Fprintln(stderr, *what)
		}
		os.Exit(second.status())
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}

// interruption returns the signal that ended a context.
func interruption(ctx context.Context) (s interrupted, ok bool) {
	ok = errors.As(context.Cause(ctx), &s)
	return s, ok
}

// stays is what an end without cleaning up leaves behind.
var stays atomic.Pointer[string]

// leaves notes what a second signal leaves on a server of others; "": nothing. From then on, a
// reader of the output that goes away does not end the process before it has cleaned up.
func leaves(what string) {
	if what != "" {
		signal.Ignore(syscall.SIGPIPE)
	}
	stays.Store(&what)
}

// again is the command of this process, with flags that it may lack.
func again(flags ...string) string {
	argv := append([]string{"dpukv"}, os.Args[1:]...)
	for _, f := range flags {
		if !slices.Contains(argv, f) {
			argv = append(argv, f)
		}
	}
	return step.Quote(argv)
}
