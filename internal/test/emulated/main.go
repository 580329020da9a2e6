package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// again is how often the command starts a test binary again.
const again = 2

func init() {
	// Pdeathsig follows the thread that started the process, so this thread must stay.
	runtime.LockOSThread()
}

func main() {
	after := flag.Duration("after", 30*time.Second,
		"how long a fork shows no sign of life before it counts as hung")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "emulated: found no test binary; to do: go test -exec emulated")
		os.Exit(2)
	}
	status, err := run(flag.Args(), *after)
	if err != nil {
		fmt.Fprintln(os.Stderr, "emulated:", err)
	}
	os.Exit(status)
}

// run runs a test binary until it ends, again after each hung fork, and returns its exit status.
func run(argv []string, after time.Duration) (status int, err error) {
	if err := adoptOrphans(); err != nil {
		return 1, err
	}
	name := filepath.Base(argv[0])
	for n := 1; ; n++ {
		end, err := runOnce(argv, after)
		switch {
		case err != nil:
			return 1, fmt.Errorf("%s: %w", name, err)
		case end.hung == 0:
			return end.status, nil
		case end.failed:
			return 1, fmt.Errorf("%s: a fork hung in qemu-user, process %d; "+
				"the tests do not run again, because one had failed before", name, end.hung)
		case n > again:
			return 1, fmt.Errorf("%s: found %d hung forks of qemu-user, allowed: %d; "+
				"to do: run the tests on an arm64 machine", name, n, again)
		}
		// The line of a test may be unfinished.
		fmt.Fprintf(os.Stderr, "\nemulated: %s: a fork hung in qemu-user before its program "+
			"began, process %d; the tests run again (%d of %d)\n", name, end.hung, n, again)
	}
}
