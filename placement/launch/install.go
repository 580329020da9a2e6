package launch

import (
	"bufio"
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"strings"

	"dpukv/internal/foreign"
)

//go:embed install.sh
var installScript string

// bootstrap returns a command that any login shell passes on unharmed. It reads the script from
// stdin byte by byte, and leaves the rest of stdin for the script.
func bootstrap(script string) []string {
	return []string{"sh", "-c", fmt.Sprintf(`eval "$(dd bs=1 count=%d 2>/dev/null)"`, len(script))}
}

// Install puts dpukv on the node and returns its path there. A node on this machine uses this
// program. A node with a path of its own binary gets none. An earlier copy is found by its content.
// Two processes may install on one node at once.
func Install(ctx context.Context, n *Node, b Binaries) (path string, err error) {
	switch {
	case n.Binary != "":
		return n.Binary, nil
	case n.Via == Local || n.Via == Netns:
		return os.Executable()
	}
	if path, err = n.install(ctx, &b); err != nil {
		return "", fmt.Errorf("install dpukv: %w", err)
	}
	return path, nil
}

func (n *Node) install(ctx context.Context, b *Binaries) (string, error) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	cmd, stderr, err := n.cmd(ctx, bootstrap(installScript))
	if err != nil {
		return "", err
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return "", n.errorf("%w", err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return "", n.errorf("%w", err)
	}
	if err := cmd.Start(); err != nil {
		return "", n.errorf("%w", err)
	}
	limited := foreign.NewLimit(stdout, before, maxBefore)
	path, refused := b.send(stdin, bufio.NewReader(limited))
	stdin.Close() // without the whole file the script gives up
	go func() {
		if _, err := io.Copy(io.Discard, limited); foreign.Over(err) {
			end(err)
		}
	}()
	err = n.ended(ctx, stderr, cmd.Wait())
	switch {
	case refused != nil:
		return "", n.errorf("%w", refused)
	case err != nil:
		return "", err
	case !strings.HasPrefix(path, "/"):
		return "", n.errorf("it ended before dpukv was there")
	}
	return path, nil
}

// send is the local side of install.sh. refused is what this side refuses. Failures on the node
// show when the command ends: after an error of the pipes no answer comes, and the path stays
// empty.
func (b *Binaries) send(w io.WriteCloser, r *bufio.Reader) (path string, refused error) {
	io.WriteString(w, installScript)
	kind, found := answer(r)
	if kind != "machine" {
		return "", nil
	}
	bin, err := b.open(parseMachine(found))
	if err != nil {
		return "", err
	}
	defer bin.Close()
	fmt.Fprintln(w, bin.digest)
	kind, path = answer(r)
	if kind == "send" {
		io.Copy(w, bin)
		w.Close()
		_, path = answer(r)
	}
	return path, nil
}

// answer reads the next line of install.sh, and skips the output of a login shell's profile.
func answer(r *bufio.Reader) (kind, rest string) {
	for {
		line, err := foreign.ReadLine(r, before, maxBefore)
		if err != nil {
			return "", "" // whoever reads on finds it, too
		}
		kind, rest, _ = strings.Cut(strings.TrimSpace(string(line)), " ")
		switch kind {
		case "machine", "send", "have":
			return kind, rest
		}
	}
}
