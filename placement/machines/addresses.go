package machines

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"

	"dpukv/placement/submode"
	"dpukv/placement/submode/card"
	"dpukv/placement/testbed"
)

// CheckAddresses refuses addresses for the load on interfaces that are made for something else.
// Off-path, nothing but the address decides whether a load passes the card. So it must be on a
// function of the card, and the RDMA device must be of that function. In submode off-path-sf, a
// DPU's own must be a scalable function's.
func (m *Machines) CheckAddresses(
	ctx context.Context, c *testbed.Assignment, name string,
) error {
	nodes := c.All()
	errs := make([]error, len(nodes))
	var all sync.WaitGroup
	for i, n := range nodes {
		if !n.Emulated() && !onLoopback(n) {
			all.Go(func() { errs[i] = m.CheckAddress(ctx, n, name) })
		}
	}
	all.Wait()
	for i, err := range errs {
		if err != nil {
			return fmt.Errorf("%snode %s: %w", m.Bed.Place(nodes[i].Name), nodes[i].Name, err)
		}
	}
	return nil
}

// CheckAddress does the same for one node.
func (m *Machines) CheckAddress(ctx context.Context, n *testbed.Node, name string) error {
	seen, err := m.look(ctx, n)
	arm := n.Kind == testbed.KindDPU && n.Target() == submode.BlueField
	sf := arm && name == submode.OffPathSF
	if err != nil {
		if sf {
			return err
		}
		return nil // the node has no shell, as some containers: nothing is said of it
	}
	it := seen.OfAddress()
	switch {
	case it != nil && it.Management():
		return &Misplaced{
			Found: fmt.Sprintf("found its address %s on %s, which is made for logging in to the "+
				"card and not for a load, allowed: an address on a port of the card", n.Address,
				it.Name),
			Mend: []string{"give the port one (ip addr add 10.10.10.1/24 dev PORT), put it into " +
				"the testbed as address, and keep this one as host, for ssh"},
		}
	case sf && (it == nil || !it.ScalableFunction()):
		return &Misplaced{
			Found: fmt.Sprintf("submode %s wants its address %s on a scalable function of the "+
				"Arm, found %s, allowed: such as enp3s0f0s0", submode.OffPathSF, n.Address,
				where(it)),
			Mend: []string{fmt.Sprintf("ip addr add %s/24 dev enp3s0f0s0, and modes: {dpu: "+
				"{address: %[1]s}} in the testbed", n.Address)},
		}
	case testbed.ModeOf(name) == "" || !m.namesCard(n.HostNode()) || len(seen.Interfaces) == 0:
		return nil
	case it != nil && arm && it.Master == "ovs-system":
		return &Misplaced{
			Found: fmt.Sprintf("submode %s, found %s as a port of %s, so that its address %s is "+
				"dead, allowed: in no bridge", name, it.Name, it.Master, n.Address),
			there: " there, as root",
			Mend: []string{
				"ovs-vsctl del-port " + it.Name, "and CREATE_OVS_BRIDGES=no in " +
					"/etc/mellanox/mlnx-ovs.conf, or the next boot makes the bridge anew",
			},
		}
	case seen.Behind(it) == nil:
		return &Misplaced{
			Found: fmt.Sprintf("submode %s wants its address %s on a function of the BlueField, "+
				"found %s, allowed: a port of the card", name, n.Address, where(it)),
			Mend: []string{"ip route get " + n.Address + " on the other nodes, and an address " +
				"of the card's port in the testbed"},
		}
	}
	return checkDevice(n, &seen, it)
}

// where tells on which interface an address was found.
func where(it *card.Interface) string {
	if it == nil {
		return "no interface with it"
	}
	return "it on " + it.Name
}

// namesCard reports whether the testbed says that a host has a BlueField.
func (m *Machines) namesCard(host string) bool {
	dpu := m.Bed.DPUOf(host)
	return dpu != nil && !dpu.Emulated() && dpu.Target() == submode.BlueField
}

// checkDevice refuses an RDMA device of another function than that of the address.
func checkDevice(n *testbed.Node, seen *card.Node, it *card.Interface) error {
	device := strings.TrimPrefix(n.RDMA.Device, "ibverbs:")
	software := device == "" || device == "shm" || strings.HasPrefix(device, "softroce")
	if software || seen.Carries(it, device) {
		return nil
	}
	names := strings.Join(seen.RDMADevices(it), ", ")
	return &Misplaced{
		Found: fmt.Sprintf("found the rdma device %s, which is not of %s, the interface with its "+
			"address %s, allowed: %s", device, it.Name, n.Address,
			cmp.Or(names, "a device of it, and there is none: rdma link")),
		Mend: []string{"rdma: {device: NAME} in the testbed"},
	}
}

// Misplaced is an address at which a load does not pass the card as its submode says.
type Misplaced struct {
	Found string // and what is allowed
	Mend  []string
	there string // where to mend it
}

func (m *Misplaced) Error() string {
	return m.Found + ". To do" + m.there + ": " + strings.Join(m.Mend, "; ")
}
