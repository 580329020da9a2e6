package launch

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"dpukv/internal/foreign"
)

// cmd prepares a command on the node.
func (n *Node) cmd(ctx context.Context, argv []string) (*exec.Cmd, *foreign.Tail, error) {
	argv, err := Command(n, argv)
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	stderr := new(foreign.Tail)
	cmd.Stderr = stderr
	cmd.WaitDelay = time.Second                           // a grandchild may hold the pipes open
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a Ctrl-C is for this program alone
	return cmd, stderr, nil
}

// ended returns the error of a command that has ended.
func (n *Node) ended(ctx context.Context, stderr *foreign.Tail, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return n.errorf("%w", context.Cause(ctx))
	}
	words := foreign.Ends(strings.TrimSpace(stderr.String()), foreign.MaxReason)
	if words != "" {
		words = ": " + words
	}
	return Explain(n, stderr.String(), fmt.Errorf("node %s: %w%s", n.Name, err, words))
}

// Attached runs a command on the node and returns its stdout. It holds the command's stdin open: so
// the command can end when this process does. It passes the command's stderr on.
func Attached(ctx context.Context, n *Node, argv []string, say io.Writer) ([]byte, error) {
	cmd, stderr, err := n.cmd(ctx, argv)
	if err != nil {
		return nil, err
	}
	var out foreign.Output
	cmd.Stdout, cmd.Stderr = &out, io.MultiWriter(say, stderr)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, n.errorf("%w", err)
	}
	defer stdin.Close()
	err = cmd.Run()
	if full := out.Err(); full != nil && ctx.Err() == nil {
		return nil, n.errorf("%w", full)
	}
	return out.Bytes(), n.ended(ctx, stderr, err)
}
