package run

import (
	"context"
	"time"

	"dpukv/kvs"
	"dpukv/placement/node"
	"dpukv/results"
)

// countMoved asks the server's node what it has moved so far. While the clients wait for their start, or
// to be let go, all that was sent has come.
func countMoved(ctx context.Context, server *node.Process, timeout time.Duration) (kvs.Moved, error) {
	server.Send(&node.Count{})
	c, err := node.Expect[*node.Counted](ctx, server, timeout, "count what it moved")
	if err != nil {
		return kvs.Moved{}, err
	}
	return c.Moved, nil
}

// noteServerMoved puts what the server moved in the load into a point.
func noteServerMoved(p *results.Point, m kvs.Moved) {
	p.ServerMovedLoad = results.Moved{
		Sockets: results.Packets(m.Sockets), Device: results.Packets(m.Device),
	}
	if warning := p.ServerMovedLoad.Sockets.ResentWarning("server", "in the load"); warning != "" {
		p.Warnings = append(p.Warnings, warning)
	}
}
