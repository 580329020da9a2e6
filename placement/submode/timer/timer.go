package timer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"dpukv/internal/infile"
	"dpukv/placement/submode/journal"
)

// Subcommand is the hidden command of dpukv that is a timer.
const Subcommand = "undo-after"

// The limits of a timer.
const (
	Shortest = time.Second
	Longest  = 24 * time.Hour
)

// Options describe a timer.
type Options struct {
	For    time.Duration
	Target string // of the submode
	Folder string // the journal
}

// Check refuses a time outside the limits.
func Check(d time.Duration) error {
	if d < Shortest || d > Longest {
		return fmt.Errorf("found %v, allowed: %v to %v", d, Shortest, Longest)
	}
	return nil
}

// Command returns the command that starts a timer on a node. binary is dpukv there.
func Command(binary string, o Options) []string {
	return []string{
		binary, Subcommand, "--for=" + o.For.String(), "--target=" + o.Target,
		journal.TimerMark(o.Folder),
	}
}

// startTimeout bounds the wait for the PID file of a timer that was just started.
const startTimeout = 20 * time.Second

// Start starts the timer detached, and returns once it waits. self is this binary. bySystemd says
// that systemd-run may start it, outside the network namespace of this process.
func Start(ctx context.Context, self string, o Options, bySystemd bool) error {
	if err := Check(o.For); err != nil {
		return err
	}
	argv := append(Command(self, o), "--wait")
	if !bySystemd || !Booted("/run") || startUnit(ctx, argv) != nil {
		if err := startSession(argv, o.Folder); err != nil {
			return fmt.Errorf("start the timer: %w", err)
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout,
		fmt.Errorf("the timer does not wait after %v; its output is in %s/timer.log",
			startTimeout, o.Folder))
	defer cancel()
	for pidOf(o.Folder) == 0 {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(10 * time.Millisecond):
		}
	}
	return nil
}

// Booted reports whether systemd manages this machine (sd_booted). run is /run.
func Booted(run string) bool {
	i, err := os.Lstat(filepath.Join(run, "systemd/system"))
	return err == nil && i.IsDir()
}

// startUnit starts the timer as a unit of systemd. Where that fails, a session must do.
func startUnit(ctx context.Context, argv []string) error {
	run := []string{"--quiet", "--collect", "--setenv=PATH=" + os.Getenv("PATH"), "--"}
	return exec.CommandContext(ctx, "systemd-run", append(run, argv...)...).Run()
}

// startSession starts the timer in a session of its own.
func startSession(argv []string, folder string) error {
	log, err := os.OpenFile(filepath.Join(folder, "timer.log"),
		os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}

// The repeats of an undo that fails.
const (
	tries = 10
	pause = 15 * time.Second
)

// Wait is the timer itself: it writes the PID file, waits, and undoes. Where the undo fails, it
// tries again. It ends with ctx.
func Wait(ctx context.Context, o Options, undo func(context.Context) error) error {
	file := filepath.Join(o.Folder, journal.TimerPID)
	if err := writePID(file); err != nil {
		return err
	}
	var err error
	for i, wait := 0, o.For; i < tries; i, wait = i+1, pause {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(wait):
		}
		if pidOf(o.Folder) != os.Getpid() {
			return errors.Join(err, fmt.Errorf("%s is not this timer's any more", file))
		}
		if err = undo(ctx); err == nil {
			return nil
		}
		fmt.Fprintf(os.Stderr, "%s: undo: %v\n", time.Now().Format(time.RFC3339), err)
	}
	return err
}

func writePID(file string) error {
	if err := os.WriteFile(file+".new", []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

// pidOf reads the PID file of a folder; 0: there is none.
func pidOf(folder string) int {
	text, err := infile.Read(filepath.Join(folder, journal.TimerPID), 32)
	if err != nil {
		return 0
	}
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return pid
}
