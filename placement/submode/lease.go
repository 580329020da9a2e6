package submode

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Lease is a submode that is applied to a node.
type Lease struct {
	*site
	node    Node
	journal *journal
	notes   []string
}

// Notes tell of what apply found and left alone: folders of namespaces that are gone.
func (l *Lease) Notes() []string { return l.notes }

// undoPatience is for taking back what an interrupted apply did.
const undoPatience = time.Minute

// Apply undoes what an earlier one left, checks, sets the datapath up, and verifies that it is. What cannot be had is an error,
// and then the node is as it was.
func (s *Submode) Apply(ctx context.Context, n Node) (*Lease, error) {
	l, err := s.apply(ctx, n)
	if err != nil {
		return nil, fmt.Errorf("submode %s: %w", s.cfg.Submode, err)
	}
	return l, nil
}

func (s *Submode) apply(ctx context.Context, n Node) (*Lease, error) {
	j, err := openJournal(ctx, n, s.cfg.Target)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(j.undo(ctx), sweep(ctx, n, s.cfg.Target, j.space)); err != nil {
		return nil, fmt.Errorf("what an earlier apply left cannot be taken back: %w", err)
	}
	j.renew()
	notes, err := j.notes(ctx)
	if err != nil {
		return nil, err
	}
	d, err := s.choose(ctx, n, j)
	if err != nil {
		return nil, err
	}
	l := &Lease{newSite(&s.cfg, d, j.dir), n, j, notes}
	if err := all(ctx, n, l.checks()); err != nil {
		return nil, err
	}
	if err := l.setUp(ctx); err != nil {
		logs := j.logs(ctx)
		if logs != "" {
			err = fmt.Errorf("%w\n%s", err, logs)
		}
		return nil, errors.Join(err, l.Undo(ctx))
	}
	return l, nil
}

func (l *Lease) setUp(ctx context.Context) error {
	if err := l.journal.open(ctx, &l.cfg, l.datapath.name); err != nil {
		return fmt.Errorf("node %s: make the folder for what is to be undone: %w", l.node.Name, err)
	}
	for _, step := range l.steps() {
		b, err := step.wayBack(ctx, l.node)
		if err == nil && b != nil {
			err = l.journal.add(ctx, b)
		}
		if err == nil {
			err = step.do(ctx, l.node)
		}
		if err != nil {
			return err
		}
	}
	return l.Verify(ctx)
}

// Check refuses a node that has not what the submode needs. It changes nothing.
func (s *Submode) Check(ctx context.Context, n Node) error {
	j, err := openJournal(ctx, n, s.cfg.Target)
	if err != nil {
		return err
	}
	d, err := s.choose(ctx, n, j)
	if err == nil {
		err = all(ctx, n, newSite(&s.cfg, d, j.dir).checks())
	}
	return err
}

// Verify tells whether the datapath is up. That packets take it is what evidence is for.
func (l *Lease) Verify(ctx context.Context) error { return all(ctx, l.node, l.verifies()) }

// Undo takes everything back, in a node that may have been set up by another process. It goes on where ctx has ended.
func (l *Lease) Undo(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoPatience)
	defer cancel()
	return l.journal.undo(ctx)
}

// Undo takes back whatever is applied to a node. The notes tell of what it found and left alone.
func Undo(ctx context.Context, n Node, target string) (notes []string, err error) {
	j, err := openJournal(ctx, n, target)
	if err != nil {
		return nil, err
	}
	if err := j.undo(ctx); err != nil {
		return nil, err
	}
	return j.notes(ctx)
}

// Adopt is the lease of a submode that another process applied.
func (s *Submode) Adopt(ctx context.Context, n Node) (*Lease, error) {
	j, err := openJournal(ctx, n, s.cfg.Target)
	if err != nil {
		return nil, err
	}
	h, err := j.header(ctx)
	if err != nil {
		return nil, fmt.Errorf("node %s: %w", n.Name, err)
	}
	if err := s.cfg.isApplied(&h); err != nil {
		return nil, fmt.Errorf("node %s: %w; dpukv submode apply %s", n.Name, err, strings.TrimPrefix(s.cfg.Submode, "sm"))
	}
	d := lookup(s.cfg.Target, h.Submode, h.Datapath)
	if d == nil {
		return nil, fmt.Errorf("node %s: found the datapath %q applied, allowed: one of this version", n.Name, h.Datapath)
	}
	return &Lease{newSite(&s.cfg, d, j.dir), n, j, nil}, nil
}

// isApplied refuses another submode than is wanted, and the same one in another way: what is proved would not be what is there.
func (c *Config) isApplied(h *header) error {
	for _, f := range []struct{ format, found, wanted string }{
		{"found %s applied, allowed: %s", h.Submode, c.Submode},
		{"found the datapath %s applied, allowed: %s", h.Datapath, cmp.Or(c.Datapath, h.Datapath)},
		{"found it applied between %s, allowed: %s", h.Ports.String(), c.Ports.String()},
		{"found it applied with filter %s, allowed: %s", h.Filter, c.Filter.String()},
	} {
		if f.found != f.wanted {
			return fmt.Errorf(f.format, cmp.Or(f.found, "nothing"), cmp.Or(f.wanted, "none"))
		}
	}
	return nil
}

// choose is the datapath, asked for or the first of its list that the node has.
func (s *Submode) choose(ctx context.Context, n Node, j *journal) (*datapath, error) {
	if s.datapath != nil {
		if err := all(ctx, n, newSite(&s.cfg, s.datapath, j.dir).has()); err != nil {
			return nil, missing(ctx, "%w: %w", ErrMissing, err)
		}
		return s.datapath, nil
	}
	var reasons []string
	for _, d := range candidates(s.cfg.Target, s.cfg.Submode) {
		if d.onlyAsked || d.refuses(&s.cfg.Filter) != nil {
			continue
		}
		err := all(ctx, n, newSite(&s.cfg, d, j.dir).has())
		if err == nil {
			return d, nil
		}
		reasons = append(reasons, d.name+": "+err.Error())
	}
	return nil, missing(ctx, "%w: node %s has none of the datapaths for it:\n%s", ErrMissing, n.Name, strings.Join(reasons, "\n"))
}

// ErrMissing is wrapped by the error of a node that has not what a datapath needs.
var ErrMissing = errors.New("something is missing")

// missing is no matter of the node where ctx ended.
func missing(ctx context.Context, format string, args ...any) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return fmt.Errorf(format, args...)
}

// Filter is the work on the path, in words; "" for none.
func (l *Lease) Filter() string { return l.cfg.Filter.String() }

// Datapath is the name of what forwards.
func (l *Lease) Datapath() string { return l.datapath.name }

// Substitute says what it stands in for; "" if it is the submode's own.
func (l *Lease) Substitute() string { return l.datapath.substitute }

// InUserSpace tells whether processes forward, on the lease's CPUs.
func (l *Lease) InUserSpace() bool {
	return len(l.datapath.pidFiles) > 0 && !l.datapath.inKernel
}

// CPUs are those for what forwards in user space.
func (l *Lease) CPUs() []int { return l.cfg.CPUs }

// Describe says what forwards.
func (l *Lease) Describe() string {
	text := l.datapath.name + " (" + l.datapath.is + ")"
	if l.datapath.substitute != "" {
		text += ", a substitute " + l.datapath.substitute
	}
	if !l.cfg.Filter.None() {
		text += ", with filter " + l.Filter()
	}
	return text
}
