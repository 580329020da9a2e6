package submode

import (
	"context"
	"fmt"
	"time"

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

// openJournal is the journal of the node's namespace, or of its card.
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

// Undo takes back whatever is applied to a node. The warnings tell of what it found and left alone.
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

// start runs the steps, each after the journal has its undo record.
func (l *Lease) start(ctx context.Context) error {
	h := journal.Header{
		Submode: l.Submode, Target: l.Target, Datapath: l.datapath.name, Owner: l.Owner,
		Ports: journal.Ports(l.Ports), Filter: l.Config.Filter.String(),
	}
	if err := l.journal.Begin(ctx, &h, OnPath(l.Submode)); err != nil {
		return fmt.Errorf("node %s: make the folder for what is to be undone: %w", l.node.Name, err)
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

// Verify tells whether the datapath is up. That packets take it is what evidence is for.
func (l *Lease) Verify(ctx context.Context) error {
	return step.DoAll(ctx, l.node, l.verifies())
}

// Broken tells what of a datapath that was up is missing now: its process, a port, a rule. The error
// names the node and the datapath, with the last words of its programs, which are gone once it is
// undone; nil where nothing is missing. It looks once and waits for nothing to come up.
func (l *Lease) Broken(ctx context.Context) error {
	steps := append(l.portSteps(verifyPorts), l.verifies()...)
	for i := range steps {
		err := steps[i].Try(ctx, l.node, 0)
		if err == nil {
			continue
		}
		if ctx.Err() != nil {
			return nil // what it found is that it ran out of time
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

// undoTimeout is for taking back what an interrupted apply did.
const undoTimeout = time.Minute

// Undo takes everything back, in a node that may have been set up by another process. It goes on
// where ctx has ended.
func (l *Lease) Undo(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	return l.journal.Undo(ctx)
}

// Evidence reads the counters, while nothing comes in if that can be had.
func (l *Lease) Evidence(ctx context.Context) (*Evidence, error) {
	e, err := readEvidence(ctx, l.setup, l.node)
	if err != nil {
		return nil, fmt.Errorf("submode %s: evidence from node %s: %w", l.Submode, l.node.Name, err)
	}
	return e, nil
}

// Warnings tell of what apply found and left alone: folders of namespaces that are gone.
func (l *Lease) Warnings() []string { return l.warnings }

// Filter is the work on the path, in words; "" for none.
func (l *Lease) Filter() string { return l.Config.Filter.String() }

// Datapath is the name of what forwards.
func (l *Lease) Datapath() string { return l.datapath.name }

// Substitute says what it stands in for; "" if it is the submode's own.
func (l *Lease) Substitute() string { return l.datapath.substitute }

// InUserSpace tells whether processes forward, on the lease's CPUs.
func (l *Lease) InUserSpace() bool {
	return len(l.datapath.pidFiles) > 0 && !l.datapath.inKernel
}

// CPUs are those for what forwards in user space.
func (l *Lease) CPUs() []int { return l.Config.CPUs }

// Describe says what forwards.
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
