package submode

import (
	"context"
)

// dumped are the packets of the system's Open vSwitch in flows that are offloaded, or are not.
func (s *site) dumped(ctx context.Context, n Node, kind string) (map[string]uint64, error) {
	out, err := n.Run(ctx, s.appctl("dpctl/dump-flows", "-m", "type="+kind))
	if err != nil {
		return nil, err
	}
	return parseFlows(out, ""), nil
}

func countCardOffloaded(ctx context.Context, s *site, n Node, e *Evidence) (err error) {
	return s.countCard(ctx, n, e, "offloaded", "non-offloaded")
}

func countCardSoftware(ctx context.Context, s *site, n Node, e *Evidence) (err error) {
	return s.countCard(ctx, n, e, "non-offloaded", "offloaded")
}

func (s *site) countCard(ctx context.Context, n Node, e *Evidence, right, wrong string) (err error) {
	if e.Flows, err = s.dumped(ctx, n, right); err != nil {
		return err
	}
	if e.Stray, err = s.dumped(ctx, n, wrong); err != nil {
		return err
	}
	return s.countDrops(ctx, n, e)
}
