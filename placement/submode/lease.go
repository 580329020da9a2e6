package submode

import (
	"context"
	"fmt"

	"dpukv/placement/submode/fullsize"
	"dpukv/placement/submode/journal"
	"dpukv/placement/submode/step"
)

// Lease is a submode that is applied to a node.
type Lease struct {
	*setup
	node     step.Node
	journal  *journal.Journal
	warnings []string
}

// openJournal returns the journal of the node's namespace, or of its card.
func openJournal(ctx context.Context, n step.Node, target string) (*journal.Journal, error) {
	if target == BlueField {
		return journal.OfCard(n), nil
	}
	return journal.OfNamespace(ctx, n)
}

// RemoveAbandoned removes the folders of dead owners whose network namespace is gone.
func RemoveAbandoned(ctx context.Context, n step.Node, target string) error {
	if target != Linux {
		return nil
	}
	return journal.RemoveAbandoned(ctx, n)
}

// Undo undoes everything that is applied to a node. The warnings name what it found and left alone.
func Undo(ctx context.Context, n step.Node, target string) (warnings []string, err error) {
	j, err := openJournal(ctx, n, target)
	if err != nil {
		return nil, err
	}
	if err := j.Undo(ctx); err != nil {
		return nil, err
	}
	return j.Warnings(ctx)
}

// start runs the steps. The journal gets each step's undo record before the step runs.
func (l *Lease) start(ctx context.Context) error {
	h := journal.Header{
		Submode: l.Submode, Target: l.Target, Datapath: l.datapath.name, Owner: l.Owner,
		Ports: journal.Ports(l.Ports), Filter: l.Config.Filter.String(),
	}
	if err := l.journal.Begin(ctx, &h, OnPath(l.Submode)); err != nil {
		return l.node.About("make the folder for what is to be undone", err)
	}
	steps := l.steps()
	for i := range steps {
		record, err := steps[i].Record(ctx, l.node)
		if err == nil && record != nil {
			err = l.journal.Add(ctx, record)
		}
		if err == nil {
			err = steps[i].Do(ctx, l.node)
		}
		if err != nil {
			return err
		}
	}
	return l.Verify(ctx)
}

// Verify checks that the datapath is up. Only evidence shows that packets take it.
func (l *Lease) Verify(ctx context.Context) error {
	return step.DoAll(ctx, l.node, l.datapath.Verify(l.setup))
}

// Broken returns the missing part of a datapath that was up: its process, a port, a rule. It
// returns nil where nothing is missing. The error names the node and the datapath. It has the last
// output of the datapath's programs, which an undo deletes. Broken checks once and does not wait
// for anything to come up.
func (l *Lease) Broken(ctx context.Context) error {
	steps := append(l.portSteps(verifyPorts), l.datapath.Verify(l.setup)...)
	for i := range steps {
		err := steps[i].Try(ctx, l.node, 0)
		if err == nil {
			continue
		}
		if ctx.Err() != nil {
			return nil // it only found that its time was up
		}
		err = fmt.Errorf("node %s: the datapath %s of %s is broken: "+
			"this was so and is not any more: %s (%w)",
			l.node.Name, l.datapath.name, l.Submode, steps[i].Purpose, err)
		if logs := l.journal.Logs(ctx); logs != "" {
			err = fmt.Errorf("%w\nThe last words there:\n%s", err, logs)
		}
		return fmt.Errorf("%w\nTo do: see what ended it on node %s; the next point sets it up anew",
			err, l.node.Name)
	}
	return nil
}

// Undo undoes everything, in a node that another process may have set up. It goes on after the end
// of ctx. The journal bounds each step.
func (l *Lease) Undo(ctx context.Context) error {
	return l.journal.Undo(context.WithoutCancel(ctx))
}

// CheckFullSize expects packets of the ports' full size to cross a card, from a client to the
// server. On plain Linux, no program sets the ports' MTU.
func (l *Lease) CheckFullSize(ctx context.Context, client, server fullsize.End) error {
	if l.Target != BlueField {
		return nil
	}
	if err := fullsize.Check(ctx, l.node, l.Ports.Wire, client, server); err != nil {
		return fmt.Errorf("submode %s: %w", l.Submode, err)
	}
	return nil
}

// Evidence reads the counters, if possible while no packets come in.
func (l *Lease) Evidence(ctx context.Context) (*Evidence, error) {
	e, err := readEvidence(ctx, l.setup, l.node)
	if err != nil {
		return nil, fmt.Errorf("submode %s: evidence from node %s: %w", l.Submode, l.node.Name, err)
	}
	return e, nil
}

// Warnings returns what apply found and left alone: folders of namespaces that are gone.
func (l *Lease) Warnings() []string { return l.warnings }

// Filter returns the work on the path, in words; "" for none.
func (l *Lease) Filter() string { return l.Config.Filter.String() }

// Datapath returns the name of the datapath.
func (l *Lease) Datapath() string { return l.datapath.name }

// Substitute returns what the datapath stands in for; "" if it is the submode's own.
func (l *Lease) Substitute() string { return l.datapath.substitute }

// InUserSpace reports whether processes forward, on the lease's CPUs.
func (l *Lease) InUserSpace() bool {
	return len(l.datapath.pidFiles) > 0 && !l.datapath.inKernel
}

// CPUs returns the CPUs for forwarding in user space.
func (l *Lease) CPUs() []int { return l.Config.CPUs }

// Describe names the forwarder.
func (l *Lease) Describe() string {
	text := l.datapath.name + " (" + l.datapath.title + ")"
	if l.datapath.substitute != "" {
		text += ", a substitute " + l.datapath.substitute
	}
	if filter := l.Filter(); filter != "" {
		text += ", with filter " + filter
	}
	return text
}
