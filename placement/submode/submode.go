package submode

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"dpukv/placement/submode/journal"
	"dpukv/placement/submode/process"
	"dpukv/placement/submode/step"
)

// Owner names this process, for a Config. If the process dies and its namespace is gone, the next
// apply removes the folder of the applied submode.
func Owner() string {
	self := process.Self()
	if self.PID == "" {
		return ""
	}
	return self.PID + " " + self.Start
}

// ErrMissing is wrapped by the error of a node that lacks something for a datapath.
var ErrMissing = errors.New("something is missing")

// Submode is a submode that can be set up.
type Submode struct {
	cfg      Config
	datapath *datapath // nil: one of candidates
}

// New refuses impossible configurations before it visits any node.
func New(cfg Config) (*Submode, error) {
	cfg = cfg.withDefaults()
	s := &Submode{cfg: cfg}
	for _, check := range []func() error{cfg.check, s.find, cfg.checkFilter, s.refuseFilter} {
		if err := check(); err != nil {
			return nil, fmt.Errorf("submode %s: %w", cfg.Submode, err)
		}
	}
	return s, nil
}

// find sets the datapath, if it is asked for or is the only one.
func (s *Submode) find() error {
	all := candidates(s.cfg.Target, s.cfg.Submode)
	switch {
	case s.cfg.Datapath != "":
		s.datapath = lookup(s.cfg.Target, s.cfg.Submode, s.cfg.Datapath)
		if s.datapath == nil {
			return fmt.Errorf("found datapath %q, allowed on target %s: %s",
				s.cfg.Datapath, s.cfg.Target, strings.Join(names(all), ", "))
		}
	case len(all) == 1:
		s.datapath = all[0]
	}
	if d := s.datapath; d != nil && len(s.cfg.CPUs) < d.leastCPUs {
		return fmt.Errorf("found the CPUs %v for %s, allowed: two or more, the first for its "+
			"commands", s.cfg.CPUs, d.name)
	}
	return nil
}

// refuseFilter refuses packet work that none of the datapaths can do.
func (s *Submode) refuseFilter() error {
	var why []error
	for _, d := range candidates(s.cfg.Target, s.cfg.Submode) {
		if s.datapath != nil && d != s.datapath || s.datapath == nil && d.onlyAsked {
			continue
		}
		err := d.refuses(&s.cfg.Filter)
		if err == nil {
			return nil
		}
		why = append(why,
			fmt.Errorf("datapath %s: found filter %s: %w", d.name, &s.cfg.Filter, err))
	}
	return errors.Join(why...)
}

// CPUs returns the CPUs for forwarding in user space.
func (s *Submode) CPUs() []int { return s.cfg.CPUs }

// OwnedBy sets another owner than this process: see Config.Owner.
func (s *Submode) OwnedBy(owner string) { s.cfg.Owner = owner }

// UndoAfter makes the node undo the submode by itself after a time. binary is dpukv on the node.
func (s *Submode) UndoAfter(d time.Duration, binary string) {
	s.cfg.UndoAfter, s.cfg.Binary = d, binary
}

func (s *Submode) setup(d *datapath, dir string) *setup { return &setup{s.cfg, d, dir} }

// Plan prints the commands of Apply, Verify and Undo, for a person to read first. Where the node
// decides between datapaths, it prints all of them in their order.
func (s *Submode) Plan(w io.Writer) error {
	dir := journal.Dir(planMark)
	if s.cfg.Target == BlueField {
		dir = journal.CardDir
	}
	var setups []*setup
	for _, d := range s.choices() {
		setups = append(setups, s.setup(d, dir))
	}
	return writePlan(w, setups)
}

// choices returns the datapath, or the datapaths between which the node decides.
func (s *Submode) choices() []*datapath {
	if s.datapath != nil {
		return []*datapath{s.datapath}
	}
	return byDefault(s.cfg.Target, s.cfg.Submode, &s.cfg.Filter)
}

// choose returns the requested datapath, or the first of its list that the node supports.
func (s *Submode) choose(ctx context.Context, n step.Node, dir string) (*datapath, error) {
	var reasons []string
	for _, d := range s.choices() {
		err := step.DoAll(ctx, n, d.Check(s.setup(d, dir)))
		switch {
		case err == nil:
			return d, nil
		case s.datapath != nil:
			return nil, missing(ctx, "%w: %w", ErrMissing, err)
		}
		reasons = append(reasons, d.name+": "+err.Error())
	}
	return nil, missing(ctx, "%w: node %s has none of the datapaths for it:\n%s",
		ErrMissing, n.Name, strings.Join(reasons, "\n"))
}

// missing returns the error of a node without a datapath. If ctx has ended, it returns that error:
// then nothing is known of the node.
func missing(ctx context.Context, format string, args ...any) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return fmt.Errorf(format, args...)
}

// Apply undoes the leftovers of an earlier apply, checks, sets up the datapath, and verifies that
// it is up. After an error, the node is as it was before.
func (s *Submode) Apply(ctx context.Context, n step.Node) (*Lease, error) {
	l, err := s.apply(ctx, n)
	if err != nil {
		return nil, fmt.Errorf("submode %s: %w", s.cfg.Submode, err)
	}
	return l, nil
}

func (s *Submode) apply(ctx context.Context, n step.Node) (*Lease, error) {
	j, err := openJournal(ctx, n, s.cfg.Target)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(j.Undo(ctx), j.RemoveAbandoned(ctx)); err != nil {
		return nil, fmt.Errorf("what an earlier apply left cannot be taken back: %w", err)
	}
	j.Renew()
	warnings, err := j.Warnings(ctx)
	if err != nil {
		return nil, err
	}
	d, err := s.choose(ctx, n, j.Dir())
	if err != nil {
		return nil, err
	}
	l := &Lease{s.setup(d, j.Dir()), n, j, warnings}
	if err := step.DoAll(ctx, n, l.portSteps(checkPorts)); err != nil {
		return nil, err
	}
	if err := l.start(ctx); err != nil {
		if logs := j.Logs(ctx); logs != "" {
			err = fmt.Errorf("%w\n%s", err, logs)
		}
		return nil, errors.Join(err, l.Undo(ctx))
	}
	return l, nil
}

// Adopt returns the lease of a submode that another process applied.
func (s *Submode) Adopt(ctx context.Context, n step.Node) (*Lease, error) {
	j, err := openJournal(ctx, n, s.cfg.Target)
	if err != nil {
		return nil, err
	}
	h, err := j.Header(ctx)
	if err != nil {
		return nil, fmt.Errorf("node %s: %w", n.Name, err)
	}
	if err := s.isApplied(&h); err != nil {
		return nil, fmt.Errorf("node %s: %w; dpukv testbed submode apply %s",
			n.Name, err, strings.TrimPrefix(s.cfg.Submode, "sm"))
	}
	d := lookup(s.cfg.Target, h.Submode, h.Datapath)
	if d == nil {
		return nil, fmt.Errorf("node %s: found the datapath %q applied, allowed: one of this "+
			"version", n.Name, h.Datapath)
	}
	return &Lease{s.setup(d, j.Dir()), n, j, nil}, nil
}

// isApplied refuses a different submode than the requested one, and the same one with other
// settings: a proof would describe something else.
func (s *Submode) isApplied(h *journal.Header) error {
	c := &s.cfg
	for _, f := range []struct{ format, found, wanted string }{
		{"found %s applied, allowed: %s", h.Submode, c.Submode},
		{
			"found the datapath %s applied, allowed: %s",
			h.Datapath, cmp.Or(c.Datapath, h.Datapath),
		},
		{"found it applied between %s, allowed: %s", Ports(h.Ports).String(), c.Ports.String()},
		{"found it applied with filter %s, allowed: %s", h.Filter, c.Filter.String()},
	} {
		if f.found != f.wanted {
			return fmt.Errorf(f.format, cmp.Or(f.found, "nothing"), cmp.Or(f.wanted, "none"))
		}
	}
	return nil
}
