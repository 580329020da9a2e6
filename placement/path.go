package placement

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
	"dpukv/placement/launch"
	"dpukv/placement/submode"
	"dpukv/placement/submode/packetfilter"
	"dpukv/results"
)

// path is the way between client and server in a point's submode, and what it has counted.
type path struct {
	cast   *cast
	dpu    *Node
	lease  *submode.Lease
	laid   *submode.Evidence // with a filter: when the datapath was there
	before *submode.Evidence // when the load began,
	began  time.Time         // which was then

	// direct: the server's interface, and what it had counted.
	server *Node
	lab    *emulate.Lab
	was    emulate.Counters
}

// lay sets a submode's datapath up, or keeps the one that is.
func (r *runner) lay(ctx context.Context, pt *Point, c *cast) (*path, error) {
	switch {
	case pt.Submode == submode.Direct:
		return &path{cast: c, server: &c.server, lab: r.machines.lab}, r.machines.clear()
	case !submode.OnPath(pt.Submode):
		return nil, errors.Join(r.machines.clear(), r.machines.checkOffPath(ctx, c))
	}
	dpu := r.machines.bed.dpuOf(c.server.Name)
	lease, err := r.machines.lease(ctx, dpu, pt.Submode, pt.Filter, slices.Concat(r.cores...))
	if err != nil {
		return nil, err
	}
	p := &path{cast: c, dpu: dpu, lease: lease}
	if lease.Filter() != "" {
		p.laid, err = lease.Evidence(ctx)
	}
	return p, err
}

// blame says so if the filter dropped packets of a load that failed: those are its lost operations.
func (p *path) blame(ctx context.Context, err error) error {
	if err == nil || p == nil || p.laid == nil {
		return err
	}
	now, evidenceErr := p.lease.Evidence(ctx)
	if evidenceErr != nil {
		return errors.Join(err, evidenceErr)
	}
	if n := now.Dropped - min(p.laid.Dropped, now.Dropped); n > 0 {
		return fmt.Errorf("%w; the filter %s dropped %d packets of this point on the path, so what waited for an answer to them was lost", err, p.lease.Filter(), n)
	}
	return err
}

// checkOffPath has a card whose node says that it is one in the mode for it. A card in the other mode would forward.
func (m *machines) checkOffPath(ctx context.Context, c *cast) error {
	dpu := m.bed.dpuOf(c.server.Name)
	if dpu == nil || dpu.Datapath.Target != submode.BlueField {
		return nil
	}
	s, err := dpu.submode(submode.OffPath, "", nil, packetfilter.Filter{})
	if err != nil {
		return err
	}
	return s.Check(ctx, m.submodeNode(dpu))
}

// lease applies a submode to a DPU's node, unless it is and stays applied.
func (m *machines) lease(ctx context.Context, dpu *Node, name, work string, cpus []int) (*submode.Lease, error) {
	key := name + " " + dpu.Name + " " + work
	if m.applied != nil && m.appliedKey == key && m.applied.Verify(ctx) == nil {
		return m.applied, nil
	}
	if err := m.clear(); err != nil {
		return nil, err
	}
	binary, err := m.binary(ctx, dpu)
	if err != nil {
		return nil, err
	}
	s, err := dpu.submode(name, binary, cpus, workOnPath(work))
	if err != nil {
		return nil, err
	}
	if err := m.weaken(dpu, len(s.CPUs())); err != nil {
		return nil, err
	}
	m.applied, err = s.Apply(ctx, m.submodeNode(dpu))
	m.appliedKey = key
	return m.applied, err
}

// weaken gives an emulated DPU the CPU time of as many of its cores as may forward.
func (m *machines) weaken(dpu *Node, cpus int) error {
	_, err := m.strength(dpu, cpus)
	return err
}

// clear undoes what is applied.
func (m *machines) clear() error {
	if m.applied == nil {
		return nil
	}
	lease := m.applied
	m.applied = nil
	return lease.Undo(context.Background())
}

// binary is this program on the node, where a datapath needs it there.
func (m *machines) binary(ctx context.Context, n *Node) (string, error) {
	switch {
	case n.here():
		return m.command[0], nil
	case n.target() == submode.BlueField:
		return "", nil
	}
	return m.install(ctx, n)
}

// submodeNode runs a datapath's commands on a node.
func (m *machines) submodeNode(n *Node) submode.Node {
	return submode.Via(n.Name, func(argv []string) ([]string, error) {
		if n.made() {
			return m.lab.Argv(n.Name, argv)
		}
		return launch.Command(&n.Node, argv)
	})
}

// begin reads the counters before the load.
func (p *path) begin(ctx context.Context) (err error) {
	switch {
	case p == nil:
	case p.lease != nil:
		p.before, err = p.lease.Evidence(ctx)
	default:
		p.was, err = p.lab.Counters(p.server.Name)
	}
	if p != nil {
		p.began = time.Now()
	}
	return err
}

// end proves, from the counters after the load, what carried it.
func (p *path) end(ctx context.Context, point *results.Point) error {
	if p == nil {
		return nil
	}
	point.EvidenceNs = time.Since(p.began).Nanoseconds()
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
	point.Evidence, point.CarriedShare, point.ForwarderCPUNs = proof.Packets, proof.CarriedShare, proof.ForwarderCPUNs
	if n := proof.Packets["dropped"]; n > 0 {
		point.Warnings = append(point.Warnings, fmt.Sprintf("the filter %s dropped %d packets on the path", proof.Filter, n))
	}
	return err
}

// advise says where to look for the way that packets took.
func (p *path) advise(err error) error {
	if err == nil || !errors.Is(err, submode.ErrAnotherWay) {
		return err
	}
	var ask []string
	for i := range p.cast.clients {
		c := &p.cast.clients[i]
		ask = append(ask, fmt.Sprintf("on %s: ip route get %s; on %s: ip route get %s",
			c.Name, p.cast.server.Address, p.cast.server.Name, c.Address))
	}
	return fmt.Errorf("%w\nTo do: look for a second cable or route between client and server: %s",
		err, strings.Join(ask, "; "))
}

// endDirect: what the ends sent has to have crossed the server's end of the hosts' cable.
func (p *path) endDirect(point *results.Point, ends *submode.Ends) error {
	is, err := p.lab.Counters(p.server.Name)
	if err != nil {
		return err
	}
	point.Datapath, point.DatapathIs = "cable", "a virtual cable between the hosts, nothing on it"
	point.Evidence = map[string]uint64{"came/" + emulate.Uplink: is.RxPackets - p.was.RxPackets, "left/" + emulate.Uplink: is.TxPackets - p.was.TxPackets}
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

// doubts are what has to stand beside a point's figures.
func (p *path) doubts(e *ensemble) (doubts []string) {
	if p == nil || p.lease == nil {
		return nil
	}
	if s := p.lease.Substitute(); s != "" {
		doubts = append(doubts, fmt.Sprintf("%s stands in %s", p.lease.Datapath(), s))
	}
	if p.dpu.made() && p.dpu.Profile != emulate.NoProfile && !p.lease.InUserSpace() {
		doubts = append(doubts, fmt.Sprintf("node %s forwards in the kernel, which its profile %s does not slow down", p.dpu.Name, p.dpu.Profile))
	}
	if !p.lease.InUserSpace() || !p.dpu.here() {
		return doubts
	}
	shared := map[int]bool{}
	for _, m := range e.members() {
		for _, n := range m.end.cpus {
			if slices.Contains(p.lease.CPUs(), n) && m.end.node.here() {
				shared[n] = true
			}
		}
	}
	if len(shared) > 0 {
		doubts = append(doubts, fmt.Sprintf("what forwards shares CPU %s with server or client", cpu.FormatList(slices.Sorted(maps.Keys(shared)))))
	}
	return doubts
}
