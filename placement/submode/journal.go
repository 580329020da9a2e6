package submode

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
)

// journal is a folder on the node. Its file undo has a JSON array a line: a command; the last is the first to run.
type journal struct {
	node Node
	dir  string
}

// Where the folders of applied submodes are: gone after a restart, as are processes and namespaces; but the database of a
// BlueField's Open vSwitch stays, so what has to be put back there stays, too.
const (
	volatile = "/run/dpukv/submode"
	lasting  = "/var/lib/dpukv/submode"
)

func root(target string) string {
	if target == BlueField {
		return lasting
	}
	return volatile
}

// openJournal finds the folder of the network namespace that the node's commands run in.
func openJournal(ctx context.Context, n Node, target string) (*journal, error) {
	out, err := n.Run(ctx, []string{"readlink", "/proc/self/ns/net"})
	if err != nil {
		return nil, fmt.Errorf("node %s: which network namespace is it? %w", n.Name, err)
	}
	inode := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(out), "net:["), "]")
	if !digits.MatchString(inode) {
		return nil, fmt.Errorf("node %s: found the network namespace %q, allowed: net:[NUMBER]", n.Name, shorten(out))
	}
	name := "net-" + inode
	if target == BlueField {
		name = "card" // the namespace is another one after a restart
	}
	return &journal{n, path.Join(root(target), name)}, nil
}

func (j *journal) file(name string) string { return path.Join(j.dir, name) }

// open makes the folder, for one who follows.
func (j *journal) open(ctx context.Context, cfg *Config, datapath string) error {
	about, err := json.Marshal(header{cfg.Submode, cfg.Target, datapath, cfg.Owner, cfg.Ports, cfg.Filter.String()})
	if err != nil {
		return err
	}
	_, err = j.node.Run(ctx, sh(`umask 077; mkdir -p "$1" && printf '%s\n' "$2" >"$1/about" && : >"$1/undo"`, j.dir, string(about)))
	return err
}

// header says what a folder is about.
type header struct {
	Submode, Target, Datapath, Owner string
	Ports                            Ports
	Filter                           string
}

func (j *journal) header(ctx context.Context) (h header, err error) {
	out, err := j.node.Run(ctx, sh(`if test -e "$1"; then cat "$1"; fi`, j.file("about")))
	if err == nil && strings.TrimSpace(out) != "" {
		err = json.Unmarshal([]byte(out), &h)
	}
	return h, err
}

// add writes down a way back, before the way is taken.
func (j *journal) add(ctx context.Context, undo []string) error {
	line, err := json.Marshal(undo)
	if err != nil {
		return err
	}
	_, err = j.node.Run(ctx, sh(`printf '%s\n' "$2" >>"$1"`, j.file("undo"), string(line)))
	return err
}

// undo goes all the way back. It does not stop at a mistake, and forgets the way only if there was none.
func (j *journal) undo(ctx context.Context) error {
	out, err := j.node.Run(ctx, sh(`if test -e "$1"; then cat "$1"; fi`, j.file("undo")))
	if err != nil {
		return fmt.Errorf("node %s: what is there to undo? %w", j.node.Name, err)
	}
	lines := strings.Split(out, "\n")
	var errs []error
	for i := len(lines) - 1; i >= 0; i-- {
		if lines[i] == "" {
			continue
		}
		var argv []string
		if err := json.Unmarshal([]byte(lines[i]), &argv); err != nil || len(argv) == 0 {
			continue // cut short: its step was not taken
		}
		if _, err := j.node.Run(ctx, argv); err != nil && !gone(err) {
			errs = append(errs, fmt.Errorf("node %s: undo: %w", j.node.Name, err))
		}
	}
	if len(errs) == 0 {
		_, err := j.node.Run(ctx, sh(`rm -rf "$1"; rmdir -p "$2" 2>/dev/null || :`, j.dir, path.Dir(j.dir)))
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// gone tells whether what is to be put back is not there any more: a port that vanished took its settings along.
func gone(err error) bool {
	text := err.Error()
	for _, said := range []string{"Cannot find device", "does not exist", "No such device", "no device matches"} {
		if strings.Contains(text, said) {
			return true
		}
	}
	return false
}

// logs are the last lines of what the node's daemons wrote.
func (j *journal) logs(ctx context.Context) string {
	out, err := j.node.Run(ctx, sh(`cd "$1" && for f in *.log; do test ! -s "$f" || { echo "$f:"; tail -n 8 "$f"; }; done`, j.dir))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(out)
}
