package submode

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

// Node is where commands run.
type Node struct {
	Name string
	// Run runs a command there to its end. Its error has what the command said.
	Run func(ctx context.Context, argv []string) (stdout string, err error)
}

// patience is what a single command may take: the slowest is a start of DPDK, which looks at all memory.
const patience = time.Minute

// Via is a node that a launcher reaches: command turns a command there into the one to run here.
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
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("not done within %v", patience))
	defer cancel()
	cmd := exec.CommandContext(ctx, here[0], here[1:]...)
	var stdout foreign.Output
	var stderr foreign.Tail
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a terminal's Ctrl-C is for the orchestrator, which then undoes
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s: %w", shorten(quoted(argv)), context.Cause(ctx))
	case errors.Is(err, exec.ErrWaitDelay): // a daemon kept stdout
		err = nil
	}
	if full := stdout.Err(); full != nil {
		return "", fmt.Errorf("%s: %w", shorten(quoted(argv)), full)
	}
	if err != nil {
		out := strings.TrimSpace(string(stdout.Bytes()))
		said := strings.TrimSpace(strings.TrimSpace(stderr.String()) + "\n" + shorten(out))
		return "", fmt.Errorf("%s: %w: %s", shorten(quoted(argv)), err, said)
	}
	return string(stdout.Bytes()), nil
}

// quoted is a command as a person would type it.
func quoted(argv []string) string {
	words := make([]string, len(argv))
	for i, w := range argv {
		words[i] = w
		if w == "" || strings.ContainsAny(w, " \t\n'\"\\$&|;<>()*?[]#~`!{}") {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
