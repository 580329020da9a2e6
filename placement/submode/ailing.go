package submode

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Ailing tells what of a datapath that was up is missing now: its process, a port, a rule. The
// error names the node and the datapath, with the last words of its programs, which are gone once
// it is undone; nil where nothing is missing. It looks once and waits for nothing to come up.
func (l *Lease) Ailing(ctx context.Context) error {
	steps := append(l.portsUp(), l.verifies()...)
	for i := range steps {
		step := &steps[i]
		step.Within, step.Else = 0, "" // its advice is for a datapath that does not come up
		err := step.do(ctx, l.node)
		if err == nil {
			continue
		}
		if ctx.Err() != nil {
			return nil // what it found is that it ran out of time
		}
		err = fmt.Errorf("node %s: the datapath %s of %s is broken: this was so and is not any more: %s (%w)",
			l.node.Name, l.datapath.name, l.cfg.Submode, step.Says, errors.Unwrap(err))
		if logs := l.journal.logs(ctx); logs != "" {
			err = fmt.Errorf("%w\nThe last words there:\n%s", err, logs)
		}
		return fmt.Errorf("%w\nTo do: see what ended it on node %s; the next point sets it up anew", err, l.node.Name)
	}
	return nil
}

// portsUp wants both ports to be there and to have a link.
func (l *Lease) portsUp() (list []Step) {
	if !OnPath(l.cfg.Submode) || l.cfg.Target != Linux {
		return nil
	}
	for _, port := range l.ports() {
		list = append(list, Step{
			Says: port + " is up and has a link", Run: []string{"ip", "-j", "link", "show"},
			Want: func(out string) error { return hasLink(out, port) },
		})
	}
	return list
}

func hasLink(out, port string) error {
	all, err := links(out)
	if err != nil {
		return err
	}
	l, ok := all[port]
	switch {
	case !ok:
		return fmt.Errorf("found no interface %s", port)
	case !slices.Contains(l.Flags, "UP"):
		return fmt.Errorf("found %s down", port)
	case !slices.Contains(l.Flags, "LOWER_UP"):
		return fmt.Errorf("found %s without a link", port)
	}
	return nil
}
