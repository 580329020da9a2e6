package placement

import (
	"fmt"
	"sync"

	"dpukv/internal/machine"
)

// thisGuest says that this machine is a guest of user-mode Linux, as "dpukv sweep --in-guest" starts one, and which kernel it has. "" on others.
var thisGuest = sync.OnceValue(func() string { return guestOf(machine.Read()) })

func guestOf(facts machine.Facts) string {
	if facts.CPUModel != "UML" { // arch/um/kernel/um_arch.c writes it into /proc/cpuinfo
		return ""
	}
	return fmt.Sprintf("one user-mode Linux guest (Linux %s)", facts.Kernel)
}

// CheckGuest refuses what a guest cannot measure: it has no network, and of this machine only its programs.
func (p *Plan) CheckGuest() error {
	if p.Attach != "" {
		return fmt.Errorf("--in-guest: found --attach %s, allowed: a server that the sweep starts, as the guest has no network", p.Attach)
	}
	for i := range p.testbed.Nodes {
		n := &p.testbed.Nodes[i]
		switch {
		case !n.here():
			return fmt.Errorf("--in-guest: %sfound node %s via: %s, allowed: via: local, and via: netns without a namespace, as the guest has no network",
				p.testbed.place(n.Name), n.Name, n.Via)
		case n.Namespace != "":
			return fmt.Errorf("--in-guest: %sfound node %s in the namespace %s, allowed: via: netns without one, as the guest has its own",
				p.testbed.place(n.Name), n.Name, n.Namespace)
		case n.Binary != "":
			return fmt.Errorf("--in-guest: %sfound node %s with a binary of its own, allowed: without, as the guest has this one", p.testbed.place(n.Name), n.Name)
		}
	}
	return nil
}

// refuseOtherKernel keeps points of a guest and of the machine around it out of one folder.
func (r *runner) refuseOtherKernel(there *nodeEnv) error {
	switch was := guestOf(there.Facts); {
	case was == thisGuest():
		return nil
	case was == "":
		return fmt.Errorf("%s holds points from outside of %s: continue it without --in-guest, or choose another folder", r.Dir, thisGuest())
	default:
		return fmt.Errorf("%s holds points from inside of %s: continue it with --in-guest, on a machine with the same kernel for guests, or choose another folder", r.Dir, was)
	}
}
