package submode

import (
	"context"
)

// dumped are the packets of the system's Open vSwitch in flows that are offloaded, or are not.
func dumped(ctx context.Context, n Node, kind string) (map[string]uint64, error) {
	out, err := n.Run(ctx, []string{"ovs-appctl", "--timeout=10", "dpctl/dump-flows", "-m", "type=" + kind})
	if err != nil {
		return nil, err
	}
	return parseFlows(out, ""), nil
}

func countCardOffloaded(ctx context.Context, _ *site, n Node, e *Evidence) (err error) {
	return countCard(ctx, n, e, "offloaded", "non-offloaded")
}

func countCardSoftware(ctx context.Context, _ *site, n Node, e *Evidence) (err error) {
	return countCard(ctx, n, e, "non-offloaded", "offloaded")
}

func countCard(ctx context.Context, n Node, e *Evidence, right, wrong string) (err error) {
	if e.Flows, err = dumped(ctx, n, right); err != nil {
		return err
	}
	e.Stray, err = dumped(ctx, n, wrong)
	return err
}
