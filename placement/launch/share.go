package launch

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"dpukv/internal/foreign"
)

// Shared is an open ssh connection that the commands of a node share.
type Shared struct {
	Node // whose commands take the connection

	dir   string
	stdin io.Closer
	cmd   *exec.Cmd
}

// shareTimeout bounds the start of a shared connection: that of a connection, over a jump host.
const shareTimeout = 30 * time.Second

// Share opens a connection for the commands of a node. The caller closes it. It is nil without an
// error where commands share nothing: the node is not reached by ssh, or the user's configuration
// shares connections itself. A failure is no failure of the commands, which then connect
// themselves.
func Share(ctx context.Context, n *Node) (*Shared, error) {
	if n.Via != SSH || n.shared != "" || sharedByUser(ctx, n) {
		return nil, nil
	}
	dir, err := privateFolder()
	if err != nil {
		return nil, n.errorf("a folder for a shared connection: %w", err)
	}
	s := &Shared{Node: *n, dir: dir}
	s.shared = filepath.Join(dir, "s")
	if err := s.open(ctx); err != nil {
		if s.cmd != nil && s.cmd.Process != nil {
			_ = s.cmd.Process.Kill() // it may write without end
		}
		return nil, errors.Join(n.errorf("a shared connection: %w", err), s.Close())
	}
	return s, nil
}

// sharedByUser reports whether the user's configuration names a ControlPath.
func sharedByUser(ctx context.Context, n *Node) bool {
	argv := append(append([]string{"-G"}, sshWhere(n)...), "--", n.Host)
	ctx, cancel := context.WithTimeout(ctx, shareTimeout)
	defer cancel()
	out, err := foreign.Run(exec.CommandContext(ctx, "ssh", argv...))
	if err != nil {
		return true // whatever ssh dislikes, the first command tells it
	}
	for line := range strings.Lines(string(out)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if key == "controlpath" {
			return value != "none"
		}
	}
	return false
}

// maxSocket is the length of a socket's path that leaves ssh room for its temporary suffix, in the
// 108 bytes of sun_path.
const maxSocket = 85

// privateFolder makes a folder of this user alone, with a short path.
func privateFolder() (string, error) {
	dir, err := os.MkdirTemp("", "dpukv-ssh-")
	if err != nil || len(dir) <= maxSocket {
		return dir, err
	}
	if err := os.Remove(dir); err != nil {
		return "", err
	}
	return os.MkdirTemp("/tmp", "dpukv-ssh-")
}

// up is the line that the connection's own command returns once the connection is open.
const up = "dpukv-shared"

// A node may write maxBefore bytes before dpukv's own words.
const (
	maxBefore = 1 << 20
	before    = "what the node writes before dpukv's words"
)

// open starts the connection. Its command is cat, which ends with this process.
func (s *Shared) open(ctx context.Context) error {
	argv := sshTo(&s.Node)
	for i, word := range argv {
		if word == "ControlMaster=no" {
			argv[i] = "ControlMaster=yes"
		}
	}
	s.cmd = exec.Command(argv[0], append(argv[1:], "exec cat")...)
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a Ctrl-C is for this program alone
	s.cmd.WaitDelay = time.Second
	stdin, err := s.cmd.StdinPipe()
	if err != nil {
		return err
	}
	s.stdin = stdin
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, shareTimeout)
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = s.cmd.Process.Kill() })()
	if _, err := io.WriteString(stdin, up+"\n"); err != nil {
		return err
	}
	// A login shell's profile may print something.
	for r := bufio.NewReader(foreign.NewLimit(stdout, before, maxBefore)); ; {
		line, err := foreign.ReadLine(r, before, maxBefore)
		if err != nil {
			return err
		}
		if strings.TrimSpace(string(line)) == up {
			return nil
		}
	}
}

// Close ends the connection and removes its folder.
func (s *Shared) Close() error {
	if s == nil {
		return nil
	}
	if s.stdin != nil {
		s.stdin.Close()
	}
	if s.cmd != nil && s.cmd.Process != nil {
		// It waits for the commands that still use the connection, and none is left.
		late := time.AfterFunc(shareTimeout, func() { _ = s.cmd.Process.Kill() })
		_ = s.cmd.Wait()
		late.Stop()
	}
	return os.RemoveAll(s.dir)
}
