package run

import (
	"fmt"

	"dpukv/placement/testbed"
)

// CheckGuest refuses placements that a guest cannot measure. A guest has no network, and of this
// machine only its programs.
func CheckGuest(p *Plan) error {
	if p.Attach != "" {
		return fmt.Errorf("--in-guest: found --attach %s, allowed: a server that the sweep "+
			"starts, as the guest has no network", p.Attach)
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
