package placement

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// DryRun writes what [Plan.Run] would do: every point in its order, where its two ends would run, the
// commands that become them, and how long it would take.
func (p *Plan) DryRun(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "testbed %s, run folder %s\n\n", p.testbed.Name, p.Dir)
	for _, placement := range p.sweep.Placements {
		if err := p.describe(&b, placement); err != nil {
			return err
		}
	}
	for i := range p.points {
		pt := &p.points[i]
		nodes, err := p.testbed.pairFor(pt.Placement)
		if err != nil {
			return err
		}
		cpus := planCPUs(p.cores, nodes, pt.ServerThreads)
		fmt.Fprintf(&b, "[%d/%d] %s: server on CPU %s, client on CPU %s\n", i+1, len(p.points), pt.ID, cpuList(cpus.server), cpuList(cpus.client))
	}
	fmt.Fprintf(&b, "\n%d points in about %v\n", len(p.points), estimate(p.points).Round(time.Second))
	_, err := io.WriteString(w, b.String())
	return err
}

// describe writes the commands of a placement. They are the same for every point: what to do
// is told over stdin.
func (p *Plan) describe(w io.Writer, placement string) error {
	nodes, err := p.testbed.pairFor(placement)
	if err != nil {
		return err
	}
	for _, end := range []struct {
		role string
		node *Node
	}{{"server", &nodes.server}, {"client", &nodes.client}} {
		argv, err := launch(end.node, p.command)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s %s on node %s, for each point: %s\n", placement, end.role, end.node.Name, strings.Join(argv, " "))
	}
	_, err = io.WriteString(w, "\n")
	return err
}
