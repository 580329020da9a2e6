package path

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"dpukv/internal/cpu"
	"dpukv/placement/emulate"
	"dpukv/placement/machines"
	"dpukv/placement/process"
	"dpukv/placement/submode"
	"dpukv/placement/submode/fullsize"
	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
	"dpukv/results"
)

// leased is a datapath on the server's DPU.
type leased struct {
	*submode.Lease
	nodes   *testbed.Assignment
	dpu     *testbed.Node
	applied *submode.Evidence // with a filter: when the datapath was there
	before  *submode.Evidence // when the load began
}

func lease(
	ctx context.Context, m *machines.Machines, pt *sweep.Point, c *testbed.Assignment, cpus []int,
) (*leased, error) {
	l := &leased{nodes: c, dpu: m.Bed.DPUOf(c.Server.Name)}
	var err error
	l.Lease, err = m.Lease(ctx, l.dpu, pt.Submode, sweep.WorkOnPath(pt.Filter), cpus)
	if err == nil && l.Filter() != "" {
		l.applied, err = l.Evidence(ctx)
	}
	return l, err
}

// checkFullSize expects packets of the full size to cross the datapath, from each client.
func (l *leased) checkFullSize(ctx context.Context, m *machines.Machines) error {
	end := func(n *testbed.Node) fullsize.End {
		return fullsize.End{Node: m.SubmodeNode(n), Address: n.Address}
	}
	for i := range l.nodes.Clients {
		err := l.CheckFullSize(ctx, end(&l.nodes.Clients[i]), end(&l.nodes.Server))
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *leased) begin(ctx context.Context) (err error) {
	l.before, err = l.Evidence(ctx)
	return err
}

func (l *leased) end(ctx context.Context, point *results.Point) error {
	ends := endsOf(point)
	after, err := l.Evidence(ctx)
	if err != nil {
		return err
	}
	proof, err := submode.ProveLoad(l.before, after, ends)
	point.Crossings = proof.Crossings
	point.Datapath, point.DatapathIs, point.Substitute = proof.Datapath, proof.Is, proof.Substitute
	point.Evidence, point.CarriedShare, point.ForwarderCPUNs = proof.Packets, proof.CarriedShare,
		proof.ForwarderCPUNs
	point.EvidenceCounters, point.PartialShare = proof.Counters, proof.PartialShare
	point.Warnings = append(point.Warnings, results.ReadWarnings(proof.Warnings...)...)
	if n := proof.Packets["dropped"]; n > 0 {
		point.Warnings = append(point.Warnings, results.Filtered.Warn("the filter %s dropped %d "+
			"packets on the path", proof.Filter, n))
	}
	return advise(l.nodes, err)
}

// blameFilter prepends the filter if it dropped packets of a failed load: those are the lost
// operations.
func (l *leased) blameFilter(ctx context.Context, err error) error {
	if l.applied == nil {
		return err
	}
	now, evidenceErr := l.Evidence(ctx)
	if evidenceErr != nil {
		return errors.Join(err, evidenceErr)
	}
	if n := now.Dropped - min(l.applied.Dropped, now.Dropped); n > 0 {
		return fmt.Errorf("%w; the filter %s dropped %d packets of this point on the path, so "+
			"what waited for an answer to them was lost", err, l.Filter(), n)
	}
	return err
}

// warnings tell what the datapath really is, and which CPUs it shares.
func (l *leased) warnings(list []*process.Process) (warnings results.Warnings) {
	if s := l.Substitute(); s != "" {
		warnings = append(warnings, results.Substitute.Warn("%s stands in %s", l.Datapath(), s))
	}
	if l.dpu.Emulated() && l.dpu.Profile != emulate.NoProfile && !l.InUserSpace() {
		warnings = append(warnings, results.Substitute.Warn("node %s forwards in the kernel, "+
			"which its profile %s does not slow down", l.dpu.Name, l.dpu.Profile))
	}
	if !l.InUserSpace() || !l.dpu.OnThisMachine() {
		return warnings
	}
	shared := map[int]bool{}
	for _, p := range list {
		for _, n := range p.CPUs {
			if slices.Contains(l.CPUs(), n) && p.Node.OnThisMachine() {
				shared[n] = true
			}
		}
	}
	if len(shared) > 0 {
		warnings = append(warnings,
			results.SharedForward.Warn("what forwards shares CPU %s with server or client",
				cpu.FormatList(slices.Sorted(maps.Keys(shared)))))
	}
	return warnings
}
