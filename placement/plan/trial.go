package plan

import (
	"fmt"
	"strings"

	"dpukv/internal/cpu"
	"dpukv/placement/neighbour"
	"dpukv/placement/node"
	"dpukv/placement/process"
	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
	"dpukv/probe"
)

// Trial is a point with the nodes and the processes of its placement.
type Trial struct {
	Point     *sweep.Point
	Nodes     testbed.Assignment
	Processes []*process.Process
}

// Of returns the trial of a point on the nodes of a testbed.
func Of(pt *sweep.Point, bed *testbed.Testbed) (*Trial, error) {
	t := &Trial{Point: pt}
	var err error
	if t.Nodes, err = Assign(bed, &pt.Config); err != nil {
		return nil, err
	}
	t.Processes = process.For(&t.Nodes, pt)
	if pt.Neighbour == "" {
		return t, nil
	}
	host, err := neighbour.Host(bed, &t.Nodes)
	t.Processes = append(t.Processes, &process.Process{Role: process.Neighbour, Node: host})
	return t, err
}

// Assign returns the nodes of a configuration. A probe of one machine has no clients.
func Assign(bed *testbed.Testbed, c *sweep.Config) (testbed.Assignment, error) {
	if !c.IsProbe() || c.Probe().Pair {
		return bed.Assign(c.Placement)
	}
	n := bed.Node(c.Placement)
	if n == nil {
		return testbed.Assignment{}, fmt.Errorf("found node %s, allowed: %s", c.Placement,
			strings.Join(bed.Names(), ", "))
	}
	return testbed.Assignment{Server: *n}, nil
}

// InModes returns the trial on its nodes as the modes of their cards make them.
func (t *Trial) InModes(nodes *testbed.Assignment) *Trial {
	of := &Trial{Point: t.Point, Nodes: *nodes}
	of.Processes = process.For(&of.Nodes, t.Point)
	if last := len(t.Processes) - 1; t.Processes[last].Role == process.Neighbour {
		of.Processes = append(of.Processes, t.Processes[last])
	}
	return of
}

// Places tells where the processes would run, but for the neighbour, whose CPUs follow from the
// server's. The cores are those of this machine.
func (t *Trial) Places(cores [][]int) string {
	list := process.For(&t.Nodes, t.Point)
	for _, p := range list {
		if p.Node.OnThisMachine() {
			p.Cores = cores
		}
	}
	process.Divide(list)
	var texts []string
	for _, p := range list {
		where := "CPUs chosen there"
		if p.CPUs != nil {
			where = "CPU " + cpu.FormatList(p.CPUs)
		}
		texts = append(texts, fmt.Sprintf("%s on %s (%s)", p.Role, p.Node.Name, where))
	}
	return strings.Join(texts, ", ")
}

// ProbeSpec returns the task of a node in a probe.
func (t *Trial) ProbeSpec(n *testbed.Node, server bool) (node.ProbeSpec, error) {
	pt := t.Point
	kind := pt.Probe()
	spec := node.ProbeSpec{Kind: kind.Name, Server: server && kind.Pair, Task: probe.Task{
		Settings: pt.Settings, Warmup: pt.Warmup, Duration: pt.Duration, Seed: pt.Seed,
	}}
	if spec.Server {
		spec.Listen = n.Listen()
	}
	var err error
	if !kind.Pair {
		spec.Device = n.VerbsDevice()
	}
	if kind.Verbs {
		spec.Device = n.VerbsDevice()
		spec.Device.Name, err = t.Nodes.Device(n)
	}
	return spec, err
}
