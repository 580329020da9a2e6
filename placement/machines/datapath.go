package machines

import (
	"context"
	"errors"

	"dpukv/placement/launch"
	"dpukv/placement/submode"
	"dpukv/placement/submode/packetfilter"
	"dpukv/placement/submode/step"
	"dpukv/placement/testbed"
)

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
	if _, err := m.Strength(dpu, len(s.CPUs())); err != nil {
		return nil, err
	}
	m.applied, err = s.Apply(ctx, m.SubmodeNode(dpu))
	m.appliedKey = key
	return m.applied, err
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
	return m.install(ctx, n, launch.Binaries{Dir: m.Bed.Binaries})
}

// SubmodeNode runs a datapath's commands on a node. Over ssh they share a connection, from the
// first command to Close.
func (m *Machines) SubmodeNode(n *testbed.Node) step.Node {
	via := step.Via(n.Name, func(argv []string) ([]string, error) {
		if n.Emulated() {
			return m.Lab.Argv(n.Name, argv)
		}
		return launch.Command(m.shared(n), argv)
	})
	return step.Node{Name: n.Name, Run: func(ctx context.Context, argv []string) (string, error) {
		m.share(ctx, n)
		out, err := via.Run(ctx, argv)
		return out, unreached(n, err)
	}}
}

// unreached tells of a command that did not get to its node why, and what to do.
func unreached(n *testbed.Node, err error) error {
	failed, ok := errors.AsType[*step.Failed](err)
	if !ok || n.Emulated() {
		return err
	}
	why, ok := errors.AsType[*launch.Explained](launch.ExplainWay(&n.Node, failed.Stderr, err))
	if !ok {
		return err
	}
	return &step.Unreached{Why: why.Means, Err: err}
}

// share opens the connection that a node's commands share, once. Without it, each command connects
// itself, and tells what is in its way.
func (m *Machines) share(ctx context.Context, n *testbed.Node) {
	if n.Via != launch.SSH {
		return
	}
	m.sharing.Lock()
	defer m.sharing.Unlock()
	if _, tried := m.connections[n.Name]; tried || ctx.Err() != nil {
		return
	}
	if m.connections == nil {
		m.connections = map[string]*launch.Shared{}
	}
	m.connections[n.Name], _ = launch.Share(ctx, &n.Node)
}

// shared returns the node with its shared connection, if it has one.
func (m *Machines) shared(n *testbed.Node) *launch.Node {
	m.sharing.Lock()
	defer m.sharing.Unlock()
	if s := m.connections[n.Name]; s != nil {
		return &s.Node
	}
	return &n.Node
}

// disconnect closes the shared connections.
func (m *Machines) disconnect() error {
	m.sharing.Lock()
	defer m.sharing.Unlock()
	var errs []error
	for _, s := range m.connections {
		errs = append(errs, s.Close())
	}
	m.connections = nil
	return errors.Join(errs...)
}
