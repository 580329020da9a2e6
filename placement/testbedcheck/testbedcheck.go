package testbedcheck

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"dpukv/placement/cardreport"
	"dpukv/placement/launch"
	"dpukv/placement/machines"
	"dpukv/placement/node"
	"dpukv/placement/submode/card"
	"dpukv/placement/testbed"
)

// Check visits every node of a testbed and reports its facts, and which placements can run or why
// not. The error is nil only if all nodes can be used and all placements of its nodes can run.
func Check(ctx context.Context, w io.Writer, bed testbed.Testbed, version string) error {
	c, err := newChecker(version, false)
	if err != nil {
		return err
	}
	return c.check(ctx, w, &bed)
}

func (c *checker) check(ctx context.Context, w io.Writer, bed *testbed.Testbed) error {
	return c.run(ctx, bed, func(t *table) error {
		if _, err := io.WriteString(w, t.text()); err != nil {
			return err
		}
		return t.verdict()
	})
}

func newChecker(version string, card bool) (*checker, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this binary, which the nodes are to run: %w", err)
	}
	build, err := node.BuildID()
	if err != nil {
		return nil, err
	}
	return &checker{
		card: card, version: version, build: build, command: []string{self, node.Subcommand},
		timeouts: node.DefaultTimeouts,
	}, nil
}

type checker struct {
	card            bool   // the nodes tell of their cards, too
	version, build  string // of this program
	command, keeper []string
	timeouts        node.Timeouts
}

// run visits all nodes and shows the visits to use, while the nodes still answer.
func (c *checker) run(
	ctx context.Context, bed *testbed.Testbed, use func(*table) error,
) (err error) {
	m, err := machines.New(ctx, bed, c.command, c.keeper, c.timeouts)
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
	return use(&table{bed: &m.Bed, visits: visits})
}

// visit starts an agent on a node and inspects the node.
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
	if v.process, v.hello, err = m.Agent(ctx, v.node, nil); err != nil {
		return err
	}
	this := node.ThisBuild(c.version, c.build)
	if err := this.Recognize(v.node.Name, v.hello); err != nil {
		return err
	}
	if facts := m.EmulatedFacts(v.node); facts != nil && facts.Cores > 0 {
		v.model = fmt.Sprintf(", as %d cores of %.3g", facts.Cores, facts.CoreStrength)
	}
	asked := time.Now()
	v.process.Send(&node.Reach{})
	clock, err := node.Expect[*node.Reached](ctx, v.process, c.timeouts.Hello, "tell the time")
	if err != nil {
		return err
	}
	v.give = time.Since(asked) / 2
	v.ahead = clock.Now.Sub(asked.Add(v.give))
	ask := &node.Inspect{Ends: endsOf(m, v.node), Card: c.card}
	for mode := range v.node.Modes {
		if ask.Modes == nil {
			ask.Modes = map[card.Mode]node.Ends{}
		}
		ask.Modes[mode] = endsOf(m, v.node.InMode(mode))
	}
	v.process.Send(ask)
	timeout := c.timeouts.Server
	if c.card {
		timeout += cardreport.Timeout
	}
	v.found, err = node.Expect[*node.Inspection](ctx, v.process, timeout, "look around")
	if err != nil {
		return err
	}
	v.node = v.node.InMode(v.found.Report.BlueField.CardMode())
	if v.found.Card != nil {
		v.facts, v.misplaced = factsOf(v.found), m.CheckAddress(ctx, v.node, v.rules())
	}
	return nil
}

func endsOf(m *machines.Machines, n *testbed.Node) node.Ends {
	return node.Ends{Address: n.Address, Listen: n.Listen(), Devices: m.Bed.DevicesOf(n)}
}

// introduce makes every node try to reach every other.
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
			v.process.Send(v.others(visits, addrs))
			v.reached, v.err = node.Expect[*node.Reached](ctx, v.process, 4*node.ReachTimeout,
				"reach the other nodes")
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
