package machines

import (
	"context"

	"dpukv/placement/launch"
	"dpukv/placement/submode"
	"dpukv/placement/submode/packetfilter"
	"dpukv/placement/testbed"
)

// CheckOffPath checks that a card, if the node has one, is in off-path mode. A card in the other
// mode would forward.
func (m *Machines) CheckOffPath(ctx context.Context, c *testbed.Assignment) error {
	dpu := m.Bed.DPUOf(c.Server.Name)
	if dpu == nil || dpu.Datapath.Target != submode.BlueField {
		return nil
	}
	s, err := dpu.Submode(submode.OffPath, "", nil, packetfilter.Filter{})
	if err != nil {
		return err
	}
	return s.Check(ctx, m.SubmodeNode(dpu))
}

// Lease applies a submode to a DPU's node, unless it is applied already and stays so.
func (m *Machines) Lease(
	ctx context.Context, dpu *testbed.Node, name string, work packetfilter.Filter, cpus []int,
) (*submode.Lease, error) {
	key := name + " " + dpu.Name + " " + work.String()
	if m.applied != nil && m.appliedKey == key && m.applied.Verify(ctx) == nil {
		return m.applied, nil
	}
	if err := m.Clear(); err != nil {
		return nil, err
	}
	binary, err := m.binary(ctx, dpu)
	if err != nil {
		return nil, err
	}
	s, err := dpu.Submode(name, binary, cpus, work)
	if err != nil {
		return nil, err
	}
	if err := m.weaken(dpu, len(s.CPUs())); err != nil {
		return nil, err
	}
	m.applied, err = s.Apply(ctx, m.SubmodeNode(dpu))
	m.appliedKey = key
	return m.applied, err
}

// weaken gives an emulated DPU the CPU time of as many of its cores as forward packets.
func (m *Machines) weaken(dpu *testbed.Node, cpus int) error {
	_, err := m.Strength(dpu, cpus)
	return err
}

// Clear undoes the applied submode.
func (m *Machines) Clear() error {
	if m.applied == nil {
		return nil
	}
	lease := m.applied
	m.applied = nil
	return lease.Undo(context.Background())
}

// binary returns the path of this program on the node, where a datapath needs it.
func (m *Machines) binary(ctx context.Context, n *testbed.Node) (string, error) {
	switch {
	case n.OnThisMachine():
		return m.Command[0], nil
	case n.Target() == submode.BlueField:
		return "", nil
	}
	return m.install(ctx, n)
}

// SubmodeNode runs a datapath's commands on a node.
func (m *Machines) SubmodeNode(n *testbed.Node) submode.Node {
	return submode.Via(n.Name, func(argv []string) ([]string, error) {
		if n.Emulated() {
			return m.Lab.Argv(n.Name, argv)
		}
		return launch.Command(&n.Node, argv)
	})
}
