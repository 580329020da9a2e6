package testbedcheck

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"dpukv/placement/launch"
	"dpukv/placement/machines"
	"dpukv/placement/node"
	"dpukv/placement/survey"
	"dpukv/placement/testbed"
)

// visit is what was found on a node.
type visit struct {
	node  *testbed.Node
	err   error // why it cannot be used; nothing else is known then
	hello *node.Hello
	found *node.Inspection
	ahead time.Duration // of its clock before the one here
	give  time.Duration // by how much that may be wrong

	model   string // of an emulated machine's cores
	process *node.Process
	reaches map[string]string // by address of other nodes: why not
}

// Check visits every node of a testbed and writes what it found: what each has, and which placements
// can run or why not. The error is not nil if a node cannot be used or a placement of its nodes cannot run.
func Check(ctx context.Context, w io.Writer, bed testbed.Testbed, version string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this binary, which the nodes are to run: %w", err)
	}
	build, err := node.BuildID()
	if err != nil {
		return err
	}
	c := checker{version: version, build: build, command: []string{self, node.Subcommand}, patience: node.DefaultTimeouts}
	return c.check(ctx, w, &bed)
}

type checker struct {
	version, build  string // of this program
	command, keeper []string
	patience        node.Timeouts
}

func (c *checker) check(ctx context.Context, w io.Writer, bed *testbed.Testbed) (err error) {
	m, err := machines.New(ctx, bed, c.command, c.keeper, c.patience)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	visits := make([]*visit, len(m.Bed.Nodes))
	defer func() { err = errors.Join(err, closeVisits(visits)) }()
	var all sync.WaitGroup
	for i := range visits {
		all.Go(func() { visits[i] = c.visit(ctx, m, &m.Bed.Nodes[i]) })
	}
	all.Wait()
	introduce(ctx, visits)
	t := table{bed: &m.Bed, visits: visits}
	if _, err := io.WriteString(w, t.text()); err != nil {
		return err
	}
	return t.verdict()
}

// visit starts an agent on a node and has it look around.
func (c *checker) visit(ctx context.Context, m *machines.Machines, n *testbed.Node) *visit {
	v := &visit{node: n}
	if v.err = c.look(ctx, m, v); v.err != nil && v.process != nil {
		v.err = errors.Join(v.err, v.process.Close())
		v.process = nil
	}
	return v
}

func (c *checker) look(ctx context.Context, m *machines.Machines, v *visit) (err error) {
	if !v.node.Emulated() {
		if err := launch.Check(&v.node.Node); err != nil {
			return err
		}
	}
	if v.process, v.hello, err = m.Agent(ctx, v.node); err != nil {
		return err
	}
	if err := node.Recognize(v.node.Name, v.hello, c.version, c.build); err != nil {
		return err
	}
	if facts := m.MadeOf(v.node); facts != nil && facts.Cores > 0 {
		v.model = fmt.Sprintf(", as %d cores of %.3g", facts.Cores, facts.CoreStrength)
	}
	asked := time.Now()
	v.process.Send(&node.Reach{})
	clock, err := node.Expect[*node.Reached](ctx, v.process, c.patience.Hello, "tell the time")
	if err != nil {
		return err
	}
	v.give = time.Since(asked) / 2
	v.ahead = clock.Now.Sub(asked.Add(v.give))
	v.process.Send(&node.Inspect{Address: v.node.Address, Devices: m.Bed.DevicesOf(v.node)})
	v.found, err = node.Expect[*node.Inspection](ctx, v.process, c.patience.Server, "look around")
	return err
}

// introduce has every node try to reach every other.
func introduce(ctx context.Context, visits []*visit) {
	var addrs []string
	for _, v := range visits {
		if v.err == nil && v.found.Addr != "" {
			addrs = append(addrs, v.found.Addr)
		}
	}
	var all sync.WaitGroup
	for _, v := range visits {
		if v.err != nil {
			continue
		}
		all.Go(func() {
			v.process.Send(&node.Reach{Addrs: addrs})
			var got *node.Reached
			if got, v.err = node.Expect[*node.Reached](ctx, v.process, 2*node.ReachTimeout, "reach the other nodes"); v.err == nil {
				v.reaches = got.Errors
			}
		})
	}
	all.Wait()
}

func closeVisits(visits []*visit) error {
	errs := make([]error, len(visits))
	var all sync.WaitGroup
	for i, v := range visits {
		if v != nil && v.process != nil {
			all.Go(func() { errs[i] = v.process.Close() })
		}
	}
	all.Wait()
	return errors.Join(errs...)
}

// why says why a placement cannot run, with a store over verbs or another; "" if it can.
func (t *table) why(c *testbed.Assignment, overVerbs bool) string {
	server := t.visit(c.Server.Name)
	for _, n := range c.All() {
		v := t.visit(n.Name)
		switch {
		case v.err != nil:
			return "node " + n.Name + " cannot be used"
		case v.found.Error != "" && v == server:
			return fmt.Sprintf("node %s cannot listen at its address: %s", n.Name, v.found.Error)
		case v != server && v.reaches[server.found.Addr] != "":
			return fmt.Sprintf("node %s does not reach %s: %s", n.Name, server.node.Name, v.reaches[server.found.Addr])
		case n.Kind == testbed.KindDPU && v.mode() != "" && v.mode() != survey.OffPath:
			return fmt.Sprintf("node %s is in %s mode, which is changed with mlxconfig (INTERNAL_CPU_MODEL=0) and a power cycle", n.Name, v.mode())
		}
	}
	if !overVerbs {
		return ""
	}
	if err := testbed.CheckDevices(t.bed, c); err != nil {
		return err.Error()
	}
	for _, n := range c.All() {
		if device, _ := c.Device(n); t.visit(n.Name).found.Devices[device] != "" {
			return fmt.Sprintf("node %s: %s", n.Name, t.visit(n.Name).found.Devices[device])
		}
	}
	return ""
}

// mode is that of the node's BlueField; "" if it has none, or it is not known.
func (v *visit) mode() string {
	if v.node.Emulated() || v.found.Report.BlueField == nil {
		return ""
	}
	return v.found.Report.BlueField.Mode
}

func (t *table) visit(node string) *visit {
	return t.visits[slices.IndexFunc(t.visits, func(v *visit) bool { return v.node.Name == node })]
}
