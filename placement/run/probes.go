package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"dpukv/internal/foreign"
	"dpukv/kvs"
	"dpukv/kvs/stores"
	"dpukv/placement/node"
	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
	"dpukv/probe"
	"dpukv/results"
)

// assign returns the nodes of a point. A probe of one machine has no clients.
func (p *Plan) assign(pt *sweep.Point) (testbed.Assignment, error) {
	return assign(&p.testbed, &pt.Config)
}

func assign(bed *testbed.Testbed, c *sweep.Config) (testbed.Assignment, error) {
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

// spots returns a configuration for each place that the plan measures at.
func (p *Plan) spots() (list []sweep.Config) {
	if p.sweep.MeasuresStores() {
		for _, placement := range p.sweep.Placements {
			list = append(list, sweep.Config{Placement: placement})
		}
	}
	for _, c := range p.sweep.ProbeConfigs() {
		spot := sweep.Config{Measure: c.Measure, Placement: c.Placement}
		if !slices.Contains(list, spot) {
			list = append(list, spot)
		}
	}
	return list
}

// placements returns the placements with a client and a server.
func (p *Plan) placements() (list []string) {
	for _, c := range p.spots() {
		pair := !c.IsProbe() || c.Probe().Pair
		if pair && !slices.Contains(list, c.Placement) {
			list = append(list, c.Placement)
		}
	}
	return list
}

// checkProbes refuses probes that the testbed, or their own values, do not allow.
func checkProbes(s *sweep.Sweep, t *testbed.Testbed, allowed []int) error {
	var told []string
	var errs []error
	for _, c := range s.ProbeConfigs() {
		err := checkProbe(s, t, &c, allowed)
		if err == nil || slices.Contains(told, err.Error()) {
			continue
		}
		told = append(told, err.Error())
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func checkProbe(s *sweep.Sweep, t *testbed.Testbed, c *sweep.Config, allowed []int) error {
	kind := c.Probe()
	name := s.Place("measure", kind.Name) + "measure: " + kind.Name
	if kind.Check != nil {
		if err := kind.Check(c.Settings); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	nodes, err := assign(t, c)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for _, n := range nodes.All() {
		if err := checkNode(t, n, allowed); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if !kind.Pair {
		return nil
	}
	if len(nodes.Clients) > 1 {
		return fmt.Errorf("%s: found %s, allowed: placements with one client", name, c.Placement)
	}
	of := *s
	of.Stores = nil
	if kind.Verbs {
		// The rules of such a store are those of its devices.
		of.Stores = stores.NamesOf((*kvs.Store).OverVerbs)[:1]
	}
	if err := checkSubmode(&of, t, c.Submode, c.Placement, sweep.WorkOnPath("")); err != nil {
		return fmt.Errorf("%s: submode %s with %s: %w", name, c.Submode, c.Placement, err)
	}
	return nil
}

// describeProbes writes what the probes measure, and where.
func describeProbes(p *Plan, w io.Writer) error {
	count, where := map[string]int{}, map[string][]string{}
	var kinds []string
	for _, c := range p.sweep.ProbeConfigs() {
		if count[c.Measure]++; count[c.Measure] == 1 {
			kinds = append(kinds, c.Measure)
		}
		if at := where[c.Measure]; !slices.Contains(at, c.Placement) {
			where[c.Measure] = append(at, c.Placement)
		}
	}
	for _, kind := range kinds {
		if _, err := fmt.Fprintf(w, "%s: %d settings and places, on %s\n", kind, count[kind],
			strings.Join(where[kind], ", ")); err != nil {
			return err
		}
	}
	return nil
}

// probeSpec returns the task of a node in a probe.
func (p *Plan) probeSpec(
	pt *sweep.Point, nodes *testbed.Assignment, n *testbed.Node, server bool,
) (node.ProbeSpec, error) {
	kind := pt.Probe()
	spec := node.ProbeSpec{Kind: kind.Name, Server: server && kind.Pair, Task: probe.Task{
		Settings: pt.Settings, Warmup: pt.Warmup, Duration: pt.Duration, Seed: pt.Seed,
	}}
	if spec.Server {
		spec.Listen = n.Listen()
	}
	var err error
	if !kind.Pair {
		spec.Device = n.RDMA.KVS()
	}
	if kind.Verbs {
		spec.Device = n.RDMA.KVS()
		spec.Device.Name, err = nodes.Device(n)
	}
	return spec, err
}

// examineProbes asks the nodes whether they can measure the probes that are due. So what a node
// lacks is told before anything is measured.
func (r *runner) examineProbes(ctx context.Context, due []sweep.Point) error {
	asks := map[string][]node.ProbeSpec{}
	told := map[string]bool{}
	var order []*testbed.Node
	for i := range due {
		pt := &due[i]
		if !pt.IsProbe() {
			continue
		}
		nodes, err := assign(&r.machines.Bed, &pt.Config) // with the addresses of made machines
		if err != nil {
			return err
		}
		nodes = nodes.For(pt.Submode)
		for j, n := range nodes.All() {
			spec, err := r.probeSpec(pt, &nodes, n, j == 0)
			if err != nil {
				return err
			}
			key := fmt.Sprint(n.Name, spec.Kind, spec.Server, spec.Settings)
			if told[key] {
				continue
			}
			told[key] = true
			if asks[n.Name] == nil {
				order = append(order, n)
			}
			asks[n.Name] = append(asks[n.Name], spec)
		}
	}
	var errs []error
	for _, n := range order {
		errs = append(errs, r.examine(ctx, n, asks[n.Name]))
	}
	return errors.Join(errs...)
}

// examine asks one node. It tells each reason once.
func (r *runner) examine(ctx context.Context, n *testbed.Node, specs []node.ProbeSpec) error {
	m, err := r.begin(ctx, n)
	if err != nil {
		return err
	}
	m.Send(&node.Examine{Probes: specs})
	answer, err := node.Expect[*node.Examined](ctx, m.Process, r.timeouts.Client,
		"examine what it can measure")
	err = errors.Join(err, m.Close())
	if err != nil || answer == nil {
		return err
	}
	var told []string
	var errs []error
	for i, reason := range answer.Errors {
		if i >= len(specs) || reason == "" || slices.Contains(told, reason) {
			continue
		}
		told = append(told, reason)
		errs = append(errs, fmt.Errorf("measure: %s on node %s: %s", specs[i].Kind, n.Name,
			foreign.Reason(reason)))
	}
	return errors.Join(errs...)
}

// nodesAsked are the nodes of a folder's probes of one machine each.
func nodesAsked(points []results.Point) (names []string) {
	for i := range points {
		p := &points[i]
		if p.IsProbe() && p.Submode == "" && !slices.Contains(names, p.Placement) {
			names = append(names, p.Placement)
		}
	}
	return names
}
