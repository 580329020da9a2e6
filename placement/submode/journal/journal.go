package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"dpukv/placement/submode/step"
)

// Journal is a folder on the node.
type Journal struct {
	node step.Node
	dir  string
	ns   *namespace // nil: it belongs to a card
}

// CardDir is the folder of a card. A restart of the machine changes its namespace, but not the
// card.
const CardDir = "/var/lib/dpukv/submode/card"

// OfCard returns the journal of a node's card.
func OfCard(n step.Node) *Journal { return &Journal{node: n, dir: CardDir} }

// OfNamespace returns the journal of the network namespace in which the node's commands run. Its
// folder does not exist yet where nothing is applied.
func OfNamespace(ctx context.Context, n step.Node) (*Journal, error) {
	ns, err := readNamespace(ctx, n)
	if err != nil {
		return nil, err
	}
	j := &Journal{node: n, ns: ns, dir: Dir(ns.mark)}
	if ns.mark == "" {
		j.dir = Dir(newMark())
	}
	return j, nil
}

// Dir returns the folder.
func (j *Journal) Dir() string { return j.dir }

func (j *Journal) mark() string { return strings.TrimPrefix(path.Base(j.dir), "net-") }

func (j *Journal) file(name string) string { return path.Join(j.dir, name) }

// Header describes a journal.
type Header struct {
	Submode, Target, Datapath, Owner string
	Ports                            Ports
	Filter                           string
	// Space is the inode of the network namespace, Card the result of cardID. [Journal.Begin] sets
	// both.
	Space, Card string `json:",omitempty"`
}

// Ports are the interfaces that are set up.
type Ports struct{ Wire, Host string }

// Begin makes the marks that identify the folder, and then the folder. forwards says whether the
// ports are set up, too.
func (j *Journal) Begin(ctx context.Context, h *Header, forwards bool) error {
	var ports []string
	if forwards {
		ports = []string{h.Ports.Wire, h.Ports.Host}
	}
	var err error
	switch {
	case j.ns != nil:
		h.Space = j.ns.inode
	case forwards:
		if h.Card, err = cardID(ctx, j.node, h.Ports.Wire); err != nil {
			return err
		}
	}
	about, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if j.ns != nil {
		if err := step.DoAll(ctx, j.node, MarkSteps(j.mark(), ports...)); err != nil {
			return err
		}
	}
	const begin = `umask 077; mkdir -p "$1" && printf '%s\n' "$2" >"$1/about" && : >"$1/undo"`
	_, err = j.node.Run(ctx, step.Shell(begin, j.dir, string(about)))
	return err
}

// Header reads the journal's header. It is the zero value where nothing is applied.
func (j *Journal) Header(ctx context.Context) (h Header, err error) {
	out, err := j.read(ctx, "about")
	if err == nil && strings.TrimSpace(out) != "" {
		err = json.Unmarshal([]byte(out), &h)
	}
	return h, err
}

// read returns a file's content; "" if there is no such file.
func (j *Journal) read(ctx context.Context, name string) (string, error) {
	return j.node.Run(ctx, step.Shell(`if test -e "$1"; then cat "$1"; fi`, j.file(name)))
}

// Add writes an undo record, before its step is run.
func (j *Journal) Add(ctx context.Context, u *step.UndoRecord) error {
	line, err := json.Marshal(u)
	if err != nil {
		return err
	}
	_, err = j.node.Run(ctx, step.Shell(`printf '%s\n' "$2" >>"$1"`, j.file("undo"), string(line)))
	return err
}

// Undo ends the folder's timer and undoes all steps. It does not stop at an error, and removes the
// folder only if there was none.
func (j *Journal) Undo(ctx context.Context) error {
	if err := j.stopTimer(ctx); err != nil {
		return err
	}
	out, err := j.read(ctx, "undo")
	if err == nil && j.ns != nil {
		j.ns, err = readNamespace(ctx, j.node) // as it is now
	}
	if err != nil {
		return j.node.About("what is there to undo?", err)
	}
	if err := j.belongs(ctx, out); err != nil {
		return err
	}
	var errs []error
	for _, line := range slices.Backward(strings.Split(out, "\n")) {
		var u step.UndoRecord
		switch {
		case !u.Parse(line):
			continue
		case u.Port != "" && j.ns != nil && !j.ns.has(u.Port):
			continue // the settings went with the interface
		}
		if err := j.undo(ctx, &u); err != nil {
			errs = append(errs, j.node.About("undo", err))
		}
	}
	if len(errs) == 0 {
		errs = append(errs, j.remove(ctx))
	}
	return errors.Join(errs...)
}

// undoTimeout bounds the undo of one step. The slowest restarts Open vSwitch with DPDK.
const undoTimeout = time.Minute

func (j *Journal) undo(ctx context.Context, u *step.UndoRecord) error {
	ctx, cancel := context.WithTimeoutCause(ctx, undoTimeout,
		fmt.Errorf("not undone within %v", undoTimeout))
	defer cancel()
	return u.Do(ctx, j.node)
}

// belongs refuses the steps of another machine.
func (j *Journal) belongs(ctx context.Context, undo string) error {
	if undo == "" {
		return nil
	}
	if j.ns != nil {
		if j.ns.mark == j.mark() {
			return nil
		}
		return fmt.Errorf("node %s: %s: found another network namespace than the one in which it "+
			"was applied, allowed: that one; nothing of it was taken back here", j.node.Name, j.dir)
	}
	h, err := j.Header(ctx)
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

// remove deletes the folder and then the marks: a mark without its folder means nothing.
func (j *Journal) remove(ctx context.Context) error {
	const remove = `rm -rf "$1" || exit; rmdir -p "$2" 2>/dev/null || :`
	_, err := j.node.Run(ctx, step.Shell(remove, j.dir, path.Dir(j.dir)))
	if err == nil && j.ns != nil && j.ns.mark == j.mark() {
		err = j.ns.dropMarks(ctx, j.node)
	}
	return err
}

// Renew gives the journal a folder of its own, once the leftovers of an earlier apply are undone.
func (j *Journal) Renew() {
	if j.ns != nil {
		j.ns.mark = ""
		j.dir = Dir(newMark())
	}
}

// Warnings names folders that were left in place.
func (j *Journal) Warnings(ctx context.Context) (warnings []string, err error) {
	if j.ns == nil {
		return nil, nil
	}
	folders, err := j.ns.strangers(ctx, j.node)
	for _, dir := range folders {
		warnings = append(warnings,
			fmt.Sprintf("node %s: %s was left by an apply in another network namespace, which had "+
				"this one's number (%s) and is gone: nothing of it was run here; remove it, if "+
				"its logs are of no use", j.node.Name, dir, j.ns.inode))
	}
	return warnings, err
}

// Logs returns the last lines of the node's daemons; "" if they cannot be read.
func (j *Journal) Logs(ctx context.Context) string {
	const read = `cd "$1" && for f in *.log; do test ! -s "$f" || ` +
		`{ echo "$f:"; tail -n 8 "$f"; }; done`
	out, err := j.node.Run(ctx, step.Shell(read, j.dir))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(out)
}
