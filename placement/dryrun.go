package placement

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"dpukv/internal/cpu"
	"dpukv/results"
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
	missing, err := p.missingInDir()
	if err != nil {
		return err
	}
	for i := range missing {
		pt := &missing[i]
		nodes, err := p.testbed.pairFor(pt.Placement)
		if err != nil {
			return err
		}
		cpus := planCPUs(p.cores, nodes, pt.ServerThreads)
		fmt.Fprintf(&b, "[%d/%d] %s: server on CPU %s, client on CPU %s\n", i+1, len(missing), pt.ID, cpu.FormatList(cpus.server), cpu.FormatList(cpus.client))
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
	run, err := results.Open(p.Dir)
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
