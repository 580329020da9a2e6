package trial

import (
	"context"
	"time"

	"dpukv/placement/machines"
	"dpukv/placement/neighbour"
	"dpukv/placement/node"
	"dpukv/results"
)

// counts are a process's counters at a time.
type counts struct {
	*node.Counted
	at time.Time
}

// gate holds the load back until all counters are read, and reads them again behind it.
type gate struct {
	t          *trial
	server     [2]*counts // before and after the load; nil: a probe of one machine
	neighbour  [2]*counts // nil: none
	throttling [2]machines.Throttling
	unwatch    context.CancelCauseFunc // ends the watch over the neighbour
}

// open puts the neighbour to work and reads all counters, those of the path last. The context ends
// with the neighbour.
func (g *gate) open(ctx context.Context) (disturbed context.Context, err error) {
	disturbed = ctx
	if by := g.t.all.neighbour; by != nil {
		g.t.b.Report.Does("start the neighbour %s", g.t.pt.Neighbour)
		by.Send(&node.Configure{
			CPUs: by.place.CPUs, Neighbour: &node.NeighbourSpec{Kind: g.t.pt.Neighbour},
		})
		task := g.t.neighbourTask()
		_, err := node.Expect[*node.Counted](ctx, by.Process, g.t.b.Timeouts.Server, task)
		if err != nil {
			return nil, err
		}
		disturbed, g.unwatch = context.WithCancelCause(ctx)
		go by.endsWith(disturbed, g.unwatch, task)
	}
	if err := g.read(ctx, 0); err != nil {
		return nil, err
	}
	return disturbed, g.t.path.Begin(ctx)
}

// neighbourTask is the neighbour's for the whole trial, whatever it is asked in between.
func (t *trial) neighbourTask() string { return "work as the neighbour " + t.pt.Neighbour }

// close reads all counters again, and ends the neighbour. The path proves the load later, when the
// ends have told theirs.
func (g *gate) close(ctx context.Context) error {
	if err := g.read(ctx, 1); err != nil || g.t.all.neighbour == nil {
		return err
	}
	g.release()
	return g.t.all.endNeighbour()
}

func (g *gate) release() {
	if g.unwatch != nil {
		g.unwatch(nil)
	}
}

func (g *gate) read(ctx context.Context, at int) (err error) {
	if by := g.t.all.neighbour; by != nil {
		if g.neighbour[at], err = g.t.count(ctx, by); err != nil {
			return err
		}
	}
	if g.throttling[at], err = g.t.b.Machines.Throttling(); err != nil {
		return err
	}
	if len(g.t.all.serving()) > 0 {
		g.server[at], err = g.t.count(ctx, g.t.all.first())
	}
	return err
}

// moved is what the server moved under load.
func (g *gate) moved() results.Moved {
	return results.MovedOf(g.server[1].Moved.Since(&g.server[0].Moved))
}

// note puts into a point what was counted beside the load.
func (g *gate) note(p *results.Point) {
	if by := g.t.all.neighbour; by != nil {
		cpus := by.place.CPUs
		r := neighbour.RatesOf(g.t.pt.Neighbour, len(cpus), g.neighbour[0].Neighbour,
			g.neighbour[1].Neighbour)
		p.NeighbourNode, p.NeighbourCPUs = by.place.Node.Name, cpus
		p.NeighbourOpsPerS, p.NeighbourBytesPerS = r.Ops, r.Bytes
		p.NeighbourCPUShare, p.NeighbourSwitchesPerS = r.CPUShare, r.Switches
	}
	p.Warnings = append(p.Warnings, g.throttling[1].WarningsSince(g.throttling[0])...)
}
