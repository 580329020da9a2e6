package run

import (
	"context"

	"dpukv/placement/machines"
	"dpukv/placement/submode/fullsize"
	"dpukv/placement/testbed"
)

// checkFullSize expects packets of the full size to cross the datapath, from each client.
func (p *path) checkFullSize(ctx context.Context, m *machines.Machines) error {
	if p == nil || p.lease == nil {
		return nil
	}
	end := func(n *testbed.Node) fullsize.End {
		return fullsize.End{Node: m.SubmodeNode(n), Address: n.Address}
	}
	for i := range p.nodes.Clients {
		err := p.lease.CheckFullSize(ctx, end(&p.nodes.Clients[i]), end(&p.nodes.Server))
		if err != nil {
			return err
		}
	}
	return nil
}
