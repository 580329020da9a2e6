package launch

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"dpukv/internal/foreign"
	"dpukv/internal/test/must"
)

// Output runs argv on the node to its end, without stdin, and returns its stdout. The error has the
// end of its stderr, or comes from Explain.
func Output(ctx context.Context, n *Node, argv ...string) ([]byte, error) {
	cmd, stderr, err := n.cmd(ctx, argv)
	if err != nil {
		return nil, err
	}
	var out foreign.Output
	cmd.Stdout = &out
	err = cmd.Run()
	if full := out.Err(); full != nil {
		return nil, n.errorf("%w", full)
	}
	return out.Bytes(), n.ended(ctx, stderr, err)
}

// testContract checks the promises of every way to start programs, see doc.go. The node shares this
// machine's files.
func testContract(t *testing.T, n *Node) {
	t.Helper()
	t.Run("arguments", func(t *testing.T) {
		sent := awkward
		if n.Via == Kubectl {
			sent = slices.DeleteFunc(slices.Clone(awkward), func(a string) bool { return !utf8.ValidString(a) })
		}
		out := must.Get(Output(t.Context(), n, append([]string{"printf", `%s\0`}, sent...)...))(t)
		if got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); !slices.Equal(got, sent) {
			t.Errorf("found  %q\nwanted %q", got, sent)
		}
	})
	t.Run("bytes", func(t *testing.T) {
		sent := make([]byte, 3<<20)
		rand.NewChaCha8([32]byte{1}).Read(sent)
		cmd, stderr := commandOn(t, n, []string{"cat"})
		cmd.Stdin = bytes.NewReader(sent)
		got, err := cmd.Output()
		if err != nil || !bytes.Equal(got, sent) {
			t.Errorf("%d bytes came back of %d, changed: %t; %v: %s", len(got), len(sent), !bytes.Equal(got, sent), err,
				stderr)
		}
	})
	t.Run("status", func(t *testing.T) {
		_, err := Output(t.Context(), n, "sh", "-c", "echo no >&2; exit 7")
		var exit *exec.ExitError
		var explained *Explained
		if !errors.As(err, &exit) || exit.ExitCode() != 7 || errors.As(err, &explained) ||
			!strings.Contains(err.Error(), "no") {
			t.Errorf("found %v, wanted exit status 7 and what it said", err)
		}
	})
	t.Run("killed here", func(t *testing.T) {
		cmd, alive := lingering(t, n)
		cmd.Process.Kill()
		alive.awaitEnd(t)
		cmd.Wait()
		awaitGroupEnd(t, cmd.Process.Pid)
	})
	t.Run("stdin ends", func(t *testing.T) {
		_, alive := lingering(t, n)
		alive.stdin.Close()
		alive.awaitEnd(t)
	})
}

// lifeline tells whether a program on the node runs: the program holds the other end.
type lifeline struct {
	*os.File
	stdin io.Closer
}

// lingering starts a program that runs until its stdin ends.
func lingering(t *testing.T, n *Node) (*exec.Cmd, *lifeline) {
	t.Helper()
	fifo := filepath.Join(t.TempDir(), "alive")
	must.Do(t, syscall.Mkfifo(fifo, 0o600))
	line := must.Get(os.OpenFile(fifo, os.O_RDONLY|syscall.O_NONBLOCK, 0))(t)
	t.Cleanup(func() { line.Close() })
	cmd, stderr := commandOn(t, n, []string{"sh", "-c", `exec 3>"$1"; echo up; exec cat`, "lingering", fifo})
	stdin, stdout := pipes(t, cmd)
	must.Do(t, cmd.Start())
	t.Cleanup(func() {
		stdin.Close()
		cmd.Process.Kill()
		cmd.Wait()
	})
	for r := bufio.NewReader(stdout); ; {
		word, err := r.ReadString('\n')
		if err != nil {
			t.Fatalf("%s: %v: %s", cmd, err, stderr)
		}
		if word == "up\n" {
			return cmd, &lifeline{line, stdin}
		}
	}
}

func commandOn(t *testing.T, n *Node, argv []string) (*exec.Cmd, *foreign.Tail) {
	t.Helper()
	cmd, stderr, err := n.cmd(t.Context(), argv)
	must.Do(t, err)
	return cmd, stderr
}

func pipes(t *testing.T, cmd *exec.Cmd) (io.WriteCloser, io.Reader) {
	t.Helper()
	stdin := must.Get(cmd.StdinPipe())(t)
	stdout := must.Get(cmd.StdoutPipe())(t)
	return stdin, stdout
}

// awaitEnd waits until the program is gone.
func (l *lifeline) awaitEnd(t *testing.T) {
	t.Helper()
	l.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := io.Copy(io.Discard, l); err != nil {
		t.Errorf("what was started on the node is still there: %v", err)
	}
}

// awaitGroupEnd waits until the process group of a local command is empty. ssh, for example, starts
// another ssh for a jump host.
func awaitGroupEnd(t *testing.T, group int) {
	t.Helper()
	for begun := time.Now(); syscall.Kill(-group, 0) == nil; time.Sleep(5 * time.Millisecond) {
		if time.Since(begun) > time.Minute {
			t.Fatalf("process group %d of the command is still there", group)
		}
	}
}

func TestLocal(t *testing.T) {
	t.Parallel()
	testContract(t, &Node{Name: "here", Via: Local})
}
