package placement

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
	"dpukv/placement/survey"
)

// visit is what was found on a node.
type visit struct {
	node  *Node
	err   error // why it cannot be used; nothing else is known then
	hello *hello
	found *inspection
	ahead time.Duration // of its clock before the one here
	give  time.Duration // by how much that may be wrong

	model   string // of an emulated machine's cores
	process *process
	reaches map[string]string // by address of other nodes: why not
}

// CheckTestbed visits every node of a testbed and writes what it found: what each has, and which placements
// can run or why not. The error is not nil if a node cannot be used or a placement of its nodes cannot run.
func CheckTestbed(ctx context.Context, w io.Writer, bed Testbed, version string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this binary, which the nodes are to run: %w", err)
	}
	build, err := buildID()
	if err != nil {
		return err
	}
	c := checker{version: version, build: build, command: []string{self, agentCommand}, patience: defaultPatience}
	return c.check(ctx, w, &bed)
}

type checker struct {
	version, build  string // of this program
	command, keeper []string
	patience        patience
}

func (c *checker) check(ctx context.Context, w io.Writer, bed *Testbed) (err error) {
	m, err := newMachines(ctx, bed, c.command, c.keeper, c.patience)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	visits := make([]*visit, len(m.bed.Nodes))
	defer func() { err = errors.Join(err, closeVisits(visits)) }()
	var all sync.WaitGroup
	for i := range visits {
		all.Go(func() { visits[i] = c.visit(ctx, m, &m.bed.Nodes[i]) })
	}
	all.Wait()
	introduce(ctx, visits)
	t := table{bed: &m.bed, visits: visits}
	if _, err := io.WriteString(w, t.text()); err != nil {
		return err
	}
	return t.verdict()
}

// visit starts an agent on a node and has it look around.
func (c *checker) visit(ctx context.Context, m *machines, n *Node) *visit {
	v := &visit{node: n}
	if v.err = c.look(ctx, m, v); v.err != nil && v.process != nil {
		v.err = errors.Join(v.err, v.process.close())
		v.process = nil
	}
	return v
}

func (c *checker) look(ctx context.Context, m *machines, v *visit) (err error) {
	if !v.node.made() {
		if err := launch.Check(&v.node.Node); err != nil {
			return err
		}
	}
	if v.process, v.hello, err = m.agent(ctx, v.node); err != nil {
		return err
	}
	if err := recognize(v.node, v.hello, c.version, c.build); err != nil {
		return err
	}
	if facts := m.madeOf(v.node); facts != nil && facts.Cores > 0 {
		v.model = fmt.Sprintf(", as %d cores of %.3g", facts.Cores, facts.CoreStrength)
	}
	asked := time.Now()
	v.process.send(&reach{})
	clock, err := expect[*reached](ctx, v.process, c.patience.hello, "tell the time")
	if err != nil {
		return err
	}
	v.give = time.Since(asked) / 2
	v.ahead = clock.Now.Sub(asked.Add(v.give))
	v.process.send(&inspect{Address: v.node.Address, Devices: m.bed.devicesOf(v.node)})
	v.found, err = expect[*inspection](ctx, v.process, c.patience.server, "look around")
	return err
}

// devicesOf are the devices that the placements would open on a node.
func (t *Testbed) devicesOf(n *Node) []RDMA {
	var refs []RDMA
	for _, p := range t.placements() {
		c, err := t.cast(p.Name)
		if err != nil || !slices.ContainsFunc(c.all(), func(o *Node) bool { return o.Name == n.Name }) {
			continue
		}
		device, err := c.device(n)
		if ref := (RDMA{device, n.RDMA.Options}); err == nil && !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	return refs
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
			v.process.send(&reach{addrs})
			var got *reached
			if got, v.err = expect[*reached](ctx, v.process, 2*reachPatience, "reach the other nodes"); v.err == nil {
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
			all.Go(func() { errs[i] = v.process.close() })
		}
	}
	all.Wait()
	return errors.Join(errs...)
}

// why says why a placement cannot run with a store; "" if it can.
func (t *table) why(c *cast, store string) string {
	server := t.visit(c.server.Name)
	for _, n := range c.all() {
		v := t.visit(n.Name)
		switch {
		case v.err != nil:
			return "node " + n.Name + " cannot be used"
		case v.found.Error != "" && v == server:
			return fmt.Sprintf("node %s cannot listen at its address: %s", n.Name, v.found.Error)
		case v != server && v.reaches[server.found.Addr] != "":
			return fmt.Sprintf("node %s does not reach %s: %s", n.Name, server.node.Name, v.reaches[server.found.Addr])
		case n.Kind == kindDPU && v.mode() != "" && v.mode() != survey.OffPath:
			return fmt.Sprintf("node %s is in %s mode, which is changed with mlxconfig (INTERNAL_CPU_MODEL=0) and a power cycle", n.Name, v.mode())
		}
	}
	if !stores[store].rdma {
		return ""
	}
	if err := checkDevices(t.bed, c); err != nil {
		return err.Error()
	}
	for _, n := range c.all() {
		if device, _ := c.device(n); t.visit(n.Name).found.Devices[device] != "" {
			return fmt.Sprintf("node %s: %s", n.Name, t.visit(n.Name).found.Devices[device])
		}
	}
	return ""
}

// mode is that of the node's BlueField; "" if it has none, or it is not known.
func (v *visit) mode() string {
	if v.node.made() || v.found.Report.BlueField == nil {
		return ""
	}
	return v.found.Report.BlueField.Mode
}

func (t *table) visit(node string) *visit {
	return t.visits[slices.IndexFunc(t.visits, func(v *visit) bool { return v.node.Name == node })]
}
