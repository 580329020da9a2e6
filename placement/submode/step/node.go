package step

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"dpukv/internal/foreign"
)

// Node is a machine that runs commands.
type Node struct {
	Name string
	// Run runs a command there to its end. Its error has the command's output.
	Run func(ctx context.Context, argv []string) (stdout string, err error)
}

// commandTimeout bounds a single command: the slowest starts DPDK, which reads through all memory.
const commandTimeout = time.Minute

// Via returns a node behind a launcher. command turns a command for the node into a local one.
func Via(name string, command func(argv []string) ([]string, error)) Node {
	return Node{name, func(ctx context.Context, argv []string) (string, error) {
		here, err := command(argv)
		if err != nil {
			return "", err
		}
		return run(ctx, here, argv)
	}}
}

func run(ctx context.Context, here, argv []string) (string, error) {
	late := fmt.Errorf("not done within %v", commandTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, commandTimeout, late)
	defer cancel()
	cmd := exec.CommandContext(ctx, here[0], here[1:]...)
	var stdout foreign.Output
	var stderr foreign.Tail
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	// A terminal's Ctrl-C goes to the orchestrator only, which then undoes.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	stdout.Kill = func() { _ = cmd.Cancel() }
	err := cmd.Run()
	switch {
	case stdout.Err() != nil:
		return "", &Failed{Run: argv, Err: stdout.Err()}
	case ctx.Err() != nil:
		return "", &Failed{Run: argv, Err: context.Cause(ctx)}
	case errors.Is(err, exec.ErrWaitDelay): // a daemon kept stdout
		err = nil
	}
	if err != nil {
		out := strings.TrimSpace(string(stdout.Bytes()))
		return "", &Failed{argv, stderr.String(), Shorten(out), err}
	}
	return string(stdout.Bytes()), nil
}
