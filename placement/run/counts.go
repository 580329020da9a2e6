package run

import (
	"context"
	"time"

	"dpukv/kvs"
	"dpukv/placement/node"
	"dpukv/results"
)

// countMoved asks the server's node for its traffic so far. While the clients wait for go or
// release, everything sent has arrived.
func countMoved(
	ctx context.Context, server *node.Process, timeout time.Duration,
) (kvs.Moved, error) {
	server.Send(&node.Count{})
	c, err := node.Expect[*node.Counted](ctx, server, timeout, "count what it moved")
	if err != nil {
		return kvs.Moved{}, err
	}
	return c.Moved, nil
}

// noteServerMoved puts the server's traffic under load into a point.
func noteServerMoved(p *results.Point, m kvs.Moved) {
	p.ServerMovedLoad = results.Moved{
		Sockets: results.Packets(m.Sockets), Device: results.Packets(m.Device),
	}
	if warning := p.ServerMovedLoad.Sockets.ResentWarning("server", "in the load"); warning != "" {
		p.Warnings = append(p.Warnings, warning)
	}
}
