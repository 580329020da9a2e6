package submode

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
)

// journal is a folder on the node. Its file undo has a [back] a line; the last is the first to run.
type journal struct {
	node   Node
	target string
	dir    string
	space  *space // nil: BlueField
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

// openJournal finds the folder of the network namespace that the node's commands run in, by the
// mark in it, or of the card. Where nothing is applied, it is a folder that is not there yet.
func openJournal(ctx context.Context, n Node, target string) (*journal, error) {
	j := &journal{node: n, target: target}
	if target == BlueField {
		j.dir = path.Join(root(target), "card") // the namespace is another one after a restart
		return j, nil
	}
	var err error
	if j.space, err = look(ctx, n); err != nil {
		return nil, err
	}
	mark := j.space.mark
	if mark == "" {
		mark = newMark()
	}
	j.dir = folderOf(mark)
	return j, nil
}

func folderOf(mark string) string { return path.Join(volatile, "net-"+mark) }

func (j *journal) mark() string { return strings.TrimPrefix(path.Base(j.dir), "net-") }

func (j *journal) file(name string) string { return path.Join(j.dir, name) }

// open makes the marks by which the folder is found, and then the folder, for one who follows. Marks
// without a folder stand for nothing.
func (j *journal) open(ctx context.Context, cfg *Config, datapath string) error {
	h := header{
		Submode: cfg.Submode, Target: cfg.Target, Datapath: datapath, Owner: cfg.Owner,
		Ports: cfg.Ports, Filter: cfg.Filter.String(),
	}
	var err error
	switch {
	case j.space != nil:
		h.Space = j.space.inode
	case OnPath(cfg.Submode):
		if h.Card, err = cardID(ctx, j.node, cfg.Ports.Wire); err != nil {
			return err
		}
	}
	about, err := json.Marshal(&h)
	if err != nil {
		return err
	}
	switch {
	case j.space == nil:
	case OnPath(cfg.Submode):
		err = all(ctx, j.node, markSteps(j.mark(), cfg.Ports.Wire, cfg.Ports.Host))
	default:
		err = all(ctx, j.node, markSteps(j.mark()))
	}
	if err != nil {
		return err
	}
	const begin = `umask 077; mkdir -p "$1" && printf '%s\n' "$2" >"$1/about" && : >"$1/undo"`
	_, err = j.node.Run(ctx, sh(begin, j.dir, string(about)))
	return err
}

// header says what a folder is about.
type header struct {
	Submode, Target, Datapath, Owner string
	Ports                            Ports
	Filter                           string
	// Space is the inode of the network namespace, Card see cardID.
	Space, Card string `json:",omitempty"`
}

func (j *journal) header(ctx context.Context) (h header, err error) {
	out, err := j.node.Run(ctx, sh(`if test -e "$1"; then cat "$1"; fi`, j.file("about")))
	if err == nil && strings.TrimSpace(out) != "" {
		err = json.Unmarshal([]byte(out), &h)
	}
	return h, err
}

// back is the way back from a step.
type back struct {
	// Run is the command.
	Run []string
	// Port is the interface that it is about; it is not run on another one of this name. "": none.
	Port string `json:",omitempty"`
	// It is run only while Found prints Sets: else somebody has changed it since, and it is theirs.
	Found []string `json:",omitempty"`
	Sets  string   `json:",omitempty"`
}

// add writes down a way back, before the way is taken.
func (j *journal) add(ctx context.Context, b *back) error {
	line, err := json.Marshal(b)
	if err != nil {
		return err
	}
	_, err = j.node.Run(ctx, sh(`printf '%s\n' "$2" >>"$1"`, j.file("undo"), string(line)))
	return err
}

// undo goes all the way back. It does not stop at a mistake, and forgets the way only if there was none.
func (j *journal) undo(ctx context.Context) error {
	out, err := j.node.Run(ctx, sh(`if test -e "$1"; then cat "$1"; fi`, j.file("undo")))
	if err == nil && j.space != nil {
		j.space, err = look(ctx, j.node) // as it is now
	}
	if err != nil {
		return fmt.Errorf("node %s: what is there to undo? %w", j.node.Name, err)
	}
	if err := j.belongs(ctx, out); err != nil {
		return err
	}
	lines := strings.Split(out, "\n")
	var errs []error
	for i := len(lines) - 1; i >= 0; i-- {
		var b back
		if err := json.Unmarshal([]byte(lines[i]), &b); err != nil || len(b.Run) == 0 {
			continue // empty, or cut short: its step was not taken
		}
		if err := j.take(ctx, &b); err != nil {
			errs = append(errs, fmt.Errorf("node %s: undo: %w", j.node.Name, err))
		}
	}
	if len(errs) == 0 {
		errs = append(errs, j.forget(ctx))
	}
	return errors.Join(errs...)
}

// belongs refuses what was applied to another machine.
func (j *journal) belongs(ctx context.Context, undo string) error {
	if undo == "" {
		return nil
	}
	if j.space != nil {
		if j.space.mark == j.mark() {
			return nil
		}
		return fmt.Errorf("node %s: %s: found another network namespace than the one in which it "+
			"was applied, allowed: that one; nothing of it was taken back here", j.node.Name, j.dir)
	}
	h, err := j.header(ctx)
	if err != nil {
		return fmt.Errorf("node %s: %w", j.node.Name, err)
	}
	here, err := cardID(ctx, j.node, h.Ports.Wire)
	if err == nil && here != h.Card {
		err = fmt.Errorf("node %s: %s: found the card %q, allowed: %q, to which it was applied; "+
			"nothing of it was taken back here. Remove the folder, if that card is not this one",
			j.node.Name, j.dir, here, h.Card)
	}
	return err
}

// take goes one way back, if it is still ours.
func (j *journal) take(ctx context.Context, b *back) error {
	if b.Port != "" && j.space != nil && !j.space.has(b.Port) {
		return nil // what was set went with the interface
	}
	if b.Found != nil {
		out, err := j.node.Run(ctx, b.Found)
		if err != nil && !gone(err) {
			return err
		}
		if err != nil || strings.TrimSpace(out) != b.Sets {
			return nil
		}
	}
	if _, err := j.node.Run(ctx, b.Run); err != nil && !gone(err) {
		return err
	}
	return nil
}

// forget removes the folder and then the marks: without its folder, a mark stands for nothing.
func (j *journal) forget(ctx context.Context) error {
	const remove = `rm -rf "$1" || exit; rmdir -p "$2" 2>/dev/null || :`
	_, err := j.node.Run(ctx, sh(remove, j.dir, path.Dir(j.dir)))
	if err == nil && j.space != nil && j.space.mark == j.mark() {
		err = j.space.dropMarks(ctx, j.node)
	}
	return err
}

// renew has the journal be one of its own, once what an earlier apply left is taken back.
func (j *journal) renew() {
	if j.space != nil {
		j.space.mark = ""
		j.dir = folderOf(newMark())
	}
}

// notes tell of folders that were left where they are.
func (j *journal) notes(ctx context.Context) (notes []string, err error) {
	if j.space == nil {
		return nil, nil
	}
	folders, err := j.space.strangers(ctx, j.node)
	for _, dir := range folders {
		notes = append(notes, fmt.Sprintf("node %s: %s was left by an apply in another network "+
			"namespace, which had this one's number (%s) and is gone: nothing of it was run here; "+
			"remove it, if its logs are of no use", j.node.Name, dir, j.space.inode))
	}
	return notes, err
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
