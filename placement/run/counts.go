package run

import (
	"context"
	"time"

	"dpukv/internal/cpu"
	"dpukv/kvs"
	"dpukv/placement/node"
	"dpukv/results"
)

// count asks the server's node for its traffic and threads so far. While the clients wait for go or
// release, everything sent has arrived.
func count(
	ctx context.Context, server *node.Process, timeout time.Duration,
) (*node.Counted, error) {
	server.Send(&node.Count{})
	return node.Expect[*node.Counted](ctx, server, timeout, "count what it moved")
}

// noteServer puts the server's traffic and busiest thread under load into a point.
func noteServer(p *results.Point, before, after *node.Counted) {
	if p.ReconnectEvery == 0 { // the kernel forgets the counts of closed connections
		noteServerMoved(p, after.Moved.Since(&before.Moved))
	}
	most, all := cpu.BusiestOf(before.Threads, after.Threads)
	for i := range p.ServerWorkers {
		if w := &p.ServerWorkers[i]; all > 0 && w.CPUShareBy == results.ByMeanOfThreads {
			// The load is longer than the measurement period. So only the busiest thread's part of
			// the process is taken from there.
			w.CPUShare *= float64(w.Threads) * float64(most) / float64(all)
			w.CPUShareBy = results.ByBusiestInLoad
		}
	}
	p.SayBothFull() // the clients did not see the busiest thread
}

// noteServerMoved puts the server's traffic under load into a point.
func noteServerMoved(p *results.Point, m kvs.Moved) {
	p.ServerMovedLoad = results.MovedOf(m)
	if warning := p.ServerMovedLoad.Sockets.ResentWarning("server", "in the load"); warning != "" {
		p.Warnings = append(p.Warnings, warning)
	}
}
