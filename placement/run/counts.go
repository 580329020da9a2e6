package run

import (
	"context"
	"time"

	"dpukv/internal/cpu"
	"dpukv/kvs"
	"dpukv/placement/neighbour"
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

// neighbourWork is the work of a point's neighbour. Without one, its methods do nothing.
type neighbourWork struct {
	by      *member // nil: there is none
	kind    string
	timeout time.Duration
	unwatch context.CancelFunc // ends the watch over its process

	before, after *neighbour.Count
}

// startNeighbour puts the neighbour to work. The context ends with the neighbour's process.
func (m *measurement) startNeighbour(ctx context.Context) (context.Context, error) {
	by := m.all.neighbour
	if by == nil {
		return ctx, nil
	}
	m.report.does("start the neighbour %s", m.pt.Neighbour)
	d := &m.beside
	*d = neighbourWork{by: by, kind: m.pt.Neighbour, timeout: m.timeouts.Result}
	by.Send(&node.Configure{
		CPUs: by.end.cpus, Neighbour: &node.NeighbourSpec{Kind: m.pt.Neighbour},
	})
	_, err := node.Expect[*node.Counted](ctx, by.Process, m.timeouts.Server,
		"work as the neighbour "+d.kind)
	if err != nil {
		return nil, err
	}
	var watched context.Context
	watched, d.unwatch = untilEnded(ctx, by.Process, "work as the neighbour "+d.kind)
	return watched, nil
}

// begin counts the neighbour's work before the load.
func (d *neighbourWork) begin(ctx context.Context) (err error) {
	d.before, err = d.count(ctx)
	return err
}

// endNeighbour counts the neighbour's work after the load, and ends it.
func (m *measurement) endNeighbour(ctx context.Context) (err error) {
	d := &m.beside
	if d.after, err = d.count(ctx); err != nil || d.by == nil {
		return err
	}
	d.unwatch()
	m.all.neighbour = nil
	return d.by.Close()
}

func (d *neighbourWork) count(ctx context.Context) (*neighbour.Count, error) {
	if d.by == nil {
		return nil, nil
	}
	counted, err := count(ctx, d.by.Process, d.timeout)
	if err != nil {
		return nil, err
	}
	return counted.Neighbour, nil
}

// note puts the neighbour's work into a point.
func (d *neighbourWork) note(p *results.Point) {
	if d.by == nil {
		return
	}
	cpus := d.by.end.cpus
	r := neighbour.RatesOf(d.kind, len(cpus), d.before, d.after)
	p.NeighbourNode, p.NeighbourCPUs = d.by.end.node.Name, cpus
	p.NeighbourOpsPerS, p.NeighbourBytesPerS = r.Ops, r.Bytes
	p.NeighbourCPUShare, p.NeighbourSwitchesPerS = r.CPUShare, r.Switches
}
