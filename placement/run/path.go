package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"dpukv/internal/cpu"
	"dpukv/placement/emulate"
	"dpukv/placement/machines"
	"dpukv/placement/submode"
	"dpukv/placement/submode/fullsize"
	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
	"dpukv/results"
)

// path is the way between client and server in a point's submode, with its counts.
type path struct {
	nodes   *testbed.Assignment
	dpu     *testbed.Node
	lease   *submode.Lease
	applied *submode.Evidence // with a filter: when the datapath was there
	before  *submode.Evidence // when the load began,
	began   time.Time         // which was then

	hits *armHits // off-path-sf

	// direct: the server's interface, and its counts before the load.
	server *testbed.Node
	lab    *emulate.Lab
	was    emulate.Counters
}

// preparePath sets up a submode's datapath, or keeps the current one.
func preparePath(
	ctx context.Context, r *runner, pt *sweep.Point, c *testbed.Assignment, cards pointCards,
) (*path, error) {
	switch {
	case pt.Submode == submode.Direct:
		return &path{nodes: c, server: &c.Server, lab: r.machines.Lab}, r.machines.Clear()
	case pt.Submode == submode.OffPathSF:
		hits := newArmHits(cards, r.machines.Arm)
		return &path{nodes: c, hits: hits}, r.machines.Clear()
	case !submode.OnPath(pt.Submode):
		return nil, r.machines.Clear()
	}
	dpu := r.machines.Bed.DPUOf(c.Server.Name)
	lease, err := r.machines.Lease(ctx, dpu, pt.Submode, sweep.WorkOnPath(pt.Filter),
		slices.Concat(r.cores...))
	if err != nil {
		return nil, err
	}
	p := &path{nodes: c, dpu: dpu, lease: lease}
	if lease.Filter() != "" {
		p.applied, err = lease.Evidence(ctx)
	}
	return p, err
}

// blameFilter prepends the filter if it dropped packets of a failed load: those are the lost
// operations.
func (p *path) blameFilter(ctx context.Context, err error) error {
	if err == nil || p == nil || p.applied == nil {
		return err
	}
	now, evidenceErr := p.lease.Evidence(ctx)
	if evidenceErr != nil {
		return errors.Join(err, evidenceErr)
	}
	if n := now.Dropped - min(p.applied.Dropped, now.Dropped); n > 0 {
		return fmt.Errorf("%w; the filter %s dropped %d packets of this point on the path, so "+
			"what waited for an answer to them was lost", err, p.lease.Filter(), n)
	}
	return err
}

// broken returns the missing part of the datapath. It returns nil if nothing is missing, or if
// there is no datapath.
func (p *path) broken(ctx context.Context) error {
	if p == nil || p.lease == nil {
		return nil
	}
	return p.lease.Broken(ctx)
}

// begin reads the counters before the load.
func (p *path) begin(ctx context.Context) (err error) {
	switch {
	case p == nil:
	case p.lease != nil:
		p.before, err = p.lease.Evidence(ctx)
	case p.hits != nil:
		p.hits.begin(ctx)
	default:
		p.was, err = p.lab.Counters(p.server.Name)
	}
	if p != nil {
		p.began = time.Now()
	}
	return err
}

// end proves from the counters after the load which datapath carried it.
func (p *path) end(ctx context.Context, point *results.Point) error {
	if p == nil {
		return nil
	}
	point.EvidenceNs = time.Since(p.began).Nanoseconds()
	if p.hits != nil {
		return p.hits.end(ctx, point)
	}
	ends := submode.EndsOf(&point.ClientMovedLoad, &point.ServerMovedLoad)
	if ends == nil {
		point.Warnings = append(point.Warnings, "what the clients sent is not known from their "+
			"own counts, so a second way beside the one that is measured would not be seen")
	}
	if p.lease == nil {
		return p.endDirect(point, ends)
	}
	after, err := p.lease.Evidence(ctx)
	if err != nil {
		return err
	}
	proof, err := submode.ProveLoad(p.before, after, ends)
	err = p.advise(err)
	point.Crossings = proof.Crossings
	point.Datapath, point.DatapathIs, point.Substitute = proof.Datapath, proof.Is, proof.Substitute
	point.Evidence, point.CarriedShare, point.ForwarderCPUNs = proof.Packets, proof.CarriedShare,
		proof.ForwarderCPUNs
	point.EvidenceCounters, point.PartialShare = proof.Counters, proof.PartialShare
	point.Warnings = append(point.Warnings, proof.Warnings...)
	if n := proof.Packets["dropped"]; n > 0 {
		point.Warnings = append(point.Warnings,
			fmt.Sprintf("the filter %s dropped %d packets on the path", proof.Filter, n))
	}
	return err
}

// advise tells where to look for the packets' way.
func (p *path) advise(err error) error {
	if err == nil || !errors.Is(err, submode.ErrAnotherWay) {
		return err
	}
	var ask []string
	for i := range p.nodes.Clients {
		c := &p.nodes.Clients[i]
		ask = append(ask, fmt.Sprintf("on %s: ip route get %s; on %s: ip route get %s",
			c.Name, p.nodes.Server.Address, p.nodes.Server.Name, c.Address))
	}
	return fmt.Errorf("%w\nTo do: look for a second cable or route between client and server: %s",
		err, strings.Join(ask, "; "))
}

// endDirect: the ends' packets must have crossed the server's end of the hosts' cable.
func (p *path) endDirect(point *results.Point, ends *submode.Ends) error {
	is, err := p.lab.Counters(p.server.Name)
	if err != nil {
		return err
	}
	point.Datapath, point.DatapathIs = "cable", "a virtual cable between the hosts, nothing on it"
	point.Evidence = map[string]uint64{
		"came/" + emulate.Uplink: is.RxPackets - p.was.RxPackets,
		"left/" + emulate.Uplink: is.TxPackets - p.was.TxPackets,
	}
	switch {
	case ends == nil && point.Evidence["came/"+emulate.Uplink] == 0:
		return errors.New("submode direct: no packet came in at the server's interface")
	case ends == nil:
		return nil
	}
	point.Crossings, err = ends.Compare(submode.Gate{
		Name: emulate.Uplink + " of " + p.server.Name,
		ToServer: submode.Count{
			Packets: is.RxPackets - p.was.RxPackets, Bytes: is.RxBytes - p.was.RxBytes,
		},
		ToClient: submode.Count{
			Packets: is.TxPackets - p.was.TxPackets, Bytes: is.TxBytes - p.was.TxBytes,
		},
		MTU: p.lab.Facts().MTU,
	})
	point.CarriedShare = submode.LeastShare(point.Crossings)
	if err != nil {
		err = fmt.Errorf("submode direct: not all went through the cable, or not only: %w", err)
	}
	return p.advise(err)
}

// warnings returns the warnings for a point's figures.
func (p *path) warnings(e *pointProcesses) (warnings []string) {
	if p == nil || p.lease == nil {
		return nil
	}
	if s := p.lease.Substitute(); s != "" {
		warnings = append(warnings, fmt.Sprintf("%s stands in %s", p.lease.Datapath(), s))
	}
	if p.dpu.Emulated() && p.dpu.Profile != emulate.NoProfile && !p.lease.InUserSpace() {
		warnings = append(warnings,
			fmt.Sprintf("node %s forwards in the kernel, which its profile %s does not slow down",
				p.dpu.Name, p.dpu.Profile))
	}
	if !p.lease.InUserSpace() || !p.dpu.OnThisMachine() {
		return warnings
	}
	shared := map[int]bool{}
	for _, m := range e.members() {
		for _, n := range m.end.cpus {
			if slices.Contains(p.lease.CPUs(), n) && m.end.node.OnThisMachine() {
				shared[n] = true
			}
		}
	}
	if len(shared) > 0 {
		warnings = append(warnings,
			fmt.Sprintf("what forwards shares CPU %s with server or client",
				cpu.FormatList(slices.Sorted(maps.Keys(shared)))))
	}
	return warnings
}

// forwarders returns the CPUs of this machine that a datapath in user space has.
func (p *path) forwarders() []int {
	if p == nil || p.lease == nil || !p.lease.InUserSpace() || !p.dpu.OnThisMachine() {
		return nil
	}
	return p.lease.CPUs()
}

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
