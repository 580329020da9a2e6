package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// runner runs a test binary.
type runner struct {
	table  table
	every  time.Duration // between two looks at the processes
	limit  time.Duration // a child is hung after so long
	starts int           // at most
}

func main() {
	r := runner{table: table{"/proc"}, every: 2 * time.Second, limit: 30 * time.Second, starts: 3}
	status, err := r.run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "hungfork:", err)
	}
	os.Exit(status)
}

// errHung tells that the emulator hung in a fork.
var errHung = errors.New("the emulator hung in a fork")

// run runs the test binary until it has ended by itself, and returns its exit status.
func (r *runner) run(argv []string) (status int, err error) {
	if len(argv) == 0 {
		return 2, errors.New("found no command, want that of a test binary")
	}
	for start := 1; ; start++ {
		status, err = r.once(argv)
		if !errors.Is(err, errHung) || start == r.starts {
			return status, err
		}
		fmt.Fprintf(os.Stderr, "hungfork: %v, before another program began; the tests begin again "+
			"(start %d of %d)\n", err, start+1, r.starts)
	}
}

// once starts the test binary and watches its descendants.
func (r *runner) once(argv []string) (status int, err error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return 2, err
	}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT)
	defer signal.Stop(signals)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	tick := time.NewTicker(r.every)
	defer tick.Stop()
	w := watch{limit: r.limit, since: map[int]sighting{}}
	for {
		select {
		case err := <-ended:
			return statusOf(cmd, err)
		case s := <-signals:
			_ = cmd.Process.Signal(s) // it may have ended
		case now := <-tick.C:
			hung := w.look(r.table.below(cmd.Process.Pid), now)
			if hung == 0 {
				continue
			}
			r.table.kill(cmd.Process.Pid)
			<-ended
			return 2, fmt.Errorf("%w (process %d, for %v)", errHung, hung, r.limit)
		}
	}
}

// statusOf returns the exit status as a shell has it.
func statusOf(cmd *exec.Cmd, err error) (int, error) {
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return 2, err
	}
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal()), fmt.Errorf("signal: %v", ws.Signal())
	}
	return cmd.ProcessState.ExitCode(), nil
}
