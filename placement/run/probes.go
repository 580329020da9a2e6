package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"dpukv/internal/foreign"
	"dpukv/placement/node"
	"dpukv/placement/plan"
	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
	"dpukv/results"
)

// spots returns a configuration for each place that the plan measures at.
func (p *Plan) spots() (list []sweep.Config) {
	if p.sweep.MeasuresStores() {
		for _, placement := range p.sweep.Values("placement") {
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

// describeProbes writes what the probes measure, and where.
func describeProbes(p *Plan, w io.Writer) {
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
		fmt.Fprintf(w, "%s: %d settings and places, on %s\n", kind, count[kind],
			strings.Join(where[kind], ", "))
	}
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
		of, err := plan.Of(pt, &r.machines.Bed) // with the addresses of made machines
		if err != nil {
			return err
		}
		nodes := of.Nodes.For(pt.Submode)
		of = of.InModes(&nodes)
		for j, n := range of.Nodes.All() {
			spec, err := of.ProbeSpec(n, j == 0)
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
	agent, _, err := r.begin(ctx, n)
	if err != nil {
		return err
	}
	agent.Send(&node.Examine{Probes: specs})
	answer, err := node.Expect[*node.Examined](ctx, agent, r.o.timeouts.Client,
		"examine what it can measure")
	err = errors.Join(err, agent.Close())
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
