package placement

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"dpukv/internal/cpu"
	"dpukv/placement/launch"
	"dpukv/results"
	"dpukv/results/runfolder"
)

// DryRun writes what [Plan.Run] would do: the commands that become agents on the nodes, every point in its order with
// the place of each of its ends, and how long it would take. It visits no node.
func (p *Plan) DryRun(w io.Writer) error {
	missing, err := p.missingInDir()
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "testbed %s, run folder %s\n", p.testbed.Name, p.Dir)
	if made := p.testbed.emulated(); made != "" {
		fmt.Fprintf(&b, "first it makes %s\n", made)
	}
	fmt.Fprintln(&b)
	for _, placement := range p.sweep.Placements {
		if err := p.describe(&b, placement); err != nil {
			return err
		}
	}
	if err := p.describeSubmodes(&b); err != nil {
		return err
	}
	for i := range missing {
		ends, err := p.ends(&missing[i])
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "[%d/%d] %s: %s\n", i+1, len(missing), missing[i].ID, ends)
	}
	if done := len(p.points) - len(missing); done > 0 {
		fmt.Fprintf(&b, "\n%d of %d points are there already", done, len(p.points))
	}
	fmt.Fprintf(&b, "\n%d points in about %v\n", len(missing), estimate(missing).Round(time.Second))
	_, err = io.WriteString(w, b.String())
	return err
}

// missingInDir are the points that are not in the run folder, which is only read.
func (p *Plan) missingInDir() ([]Point, error) {
	if !p.resumes {
		return p.points, nil
	}
	run, err := runfolder.Open(p.Dir)
	if err != nil {
		return nil, err
	}
	points, _, err := run.Points()
	return p.missing(func(id string) bool {
		return slices.ContainsFunc(points, func(have results.Point) bool { return have.ID == id && have.Status == results.StatusOK })
	}), err
}

// describe writes the commands of a placement. They are the same for every point: what to do
// is told over stdin.
func (p *Plan) describe(w io.Writer, placement string) error {
	c, err := p.testbed.cast(placement)
	if err != nil {
		return err
	}
	for i, n := range c.all() {
		role := "client"
		if i == 0 {
			role = "server"
		}
		argv, err := p.commandOn(n)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s %s on node %s%s, for each point: %s\n", placement, role, n.Name, p.carrier(&c, n), strings.Join(argv, " "))
	}
	_, err = io.WriteString(w, "\n")
	return err
}

// carrier names what carries the stores that need a device.
func (p *Plan) carrier(c *cast, n *Node) string {
	for _, store := range p.sweep.Stores {
		if device, err := c.device(n); err == nil && stores[store].rdma {
			return fmt.Sprintf(" (%s over %s)", store, device)
		}
	}
	return ""
}

// commandOn is the command for a node, as far as it is known before the node was visited.
func (p *Plan) commandOn(n *Node) ([]string, error) {
	switch {
	case n.made():
		return append([]string{"(inside " + n.Name + ")"}, p.command...), nil
	case n.here():
		return launch.Command(&n.Node, p.command)
	}
	path := n.Binary
	if path == "" {
		path = "COPY-OF-THIS-BINARY"
	}
	return launch.Command(&n.Node, []string{path, agentCommand})
}

// ends says where the point's processes would run.
func (p *Plan) ends(pt *Point) (string, error) {
	c, err := p.testbed.cast(pt.Placement)
	if err != nil {
		return "", err
	}
	var ends []*end
	for i, n := range c.all() {
		e := &end{node: n, server: i == 0, threads: pt.threads(i == 0)}
		if n.here() {
			e.cores = p.cores
		}
		ends = append(ends, e)
	}
	planCPUs(ends)
	var texts []string
	for _, e := range ends {
		where := "CPUs chosen there"
		if e.cpus != nil {
			where = "CPU " + cpu.FormatList(e.cpus)
		}
		texts = append(texts, fmt.Sprintf("%s on %s (%s)", e.title(), e.node.Name, where))
	}
	return strings.Join(texts, ", "), nil
}
