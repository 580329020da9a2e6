package run

import (
	"errors"
	"fmt"

	"dpukv/kvs/stores"
	"dpukv/placement/launch"
	"dpukv/placement/plan"
	"dpukv/placement/testbed"
)

// checkTools refuses launchers that lack something on this machine, such as a program or an
// allocation.
func checkTools(p *Plan) error {
	var errs, stores []error
	var lacking launch.Failures
	told := map[string]bool{} // by node
	for _, c := range p.spots() {
		nodes, err := plan.Assign(&p.testbed, &c)
		if err != nil {
			return err
		}
		if !c.IsProbe() && stores == nil {
			if err := checkPrograms(p, &nodes.Server); err != nil {
				stores = []error{err}
			}
		}
		for _, n := range append(nodes.All(), p.neighbours(&nodes)...) {
			if told[n.Name] || n.Emulated() {
				continue
			}
			told[n.Name] = true
			lacking.Add(n.Name, launch.Check(&n.Node))
		}
	}
	for _, f := range lacking {
		errs = append(errs, fmt.Errorf("%s%s", p.testbed.Place(f.Nodes[0]), f))
	}
	return errors.Join(append(stores, errs...)...)
}

// checkPrograms refuses stores whose program is not installed. It checks only this machine: other
// nodes are not visited yet.
func checkPrograms(p *Plan, server *testbed.Node) error {
	if !server.OnThisMachine() || p.sweep.Attach != "" {
		return nil
	}
	for _, name := range p.sweep.Values("store") {
		st, err := stores.Named(name)
		if err == nil && st.Program != nil {
			_, err = st.Program()
		}
		if err != nil {
			return fmt.Errorf("%sstore: %w", p.sweep.Place("store", name), err)
		}
	}
	return nil
}

// CheckGuest refuses placements that a guest cannot measure. A guest has no network, and of this
// machine only its programs.
func CheckGuest(p *Plan) error {
	if p.Options.Attach != "" {
		return fmt.Errorf("--in-guest: found --attach %s, allowed: a server that the sweep "+
			"starts, as the guest has no network", p.Options.Attach)
	}
	if p.Options.Beside != "" {
		return fmt.Errorf("--in-guest: found --beside %s, allowed: one build, as the guest has "+
			"this one", p.Options.Beside)
	}
	for i := range p.testbed.Nodes {
		n := &p.testbed.Nodes[i]
		switch {
		case !n.OnThisMachine():
			return fmt.Errorf("--in-guest: %sfound node %s via: %s, allowed: via: local, and "+
				"via: netns without a namespace, as the guest has no network",
				p.testbed.Place(n.Name), n.Name, n.Via)
		case n.Namespace != "":
			return fmt.Errorf("--in-guest: %sfound node %s in the namespace %s, allowed: via: "+
				"netns without one, as the guest has its own",
				p.testbed.Place(n.Name), n.Name, n.Namespace)
		case n.Binary != "":
			return fmt.Errorf("--in-guest: %sfound node %s with a binary of its own, allowed: "+
				"without, as the guest has this one", p.testbed.Place(n.Name), n.Name)
		}
	}
	return nil
}

// refuseOtherKernel keeps points of a guest and of its host machine out of one folder.
func refuseOtherKernel(dir string, there *nodeEnv) error {
	switch was := testbed.GuestOf(there.Facts); {
	case was == testbed.ThisGuest():
		return nil
	case was == "":
		return fmt.Errorf("%s holds points from outside of %s: continue it without --in-guest, "+
			"or choose another folder", dir, testbed.ThisGuest())
	default:
		return fmt.Errorf("%s holds points from inside of %s: continue it with --in-guest, on a "+
			"machine with the same kernel for guests, or choose another folder", dir, was)
	}
}
