package testbed

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"dpukv/placement/launch"
)

// Device names, for package provider, the RDMA device of one of the nodes of a placement:
//
//	rdma: {device: …}     what carries it
//	mlx5_0, mlx5_0/2      that NIC, through libibverbs (ibverbs:mlx5_0 says the same), its first port or another
//	softroce              software, on the node's address (or softroce:ADDRESS)
//	shm                   memory that both ends map
//	nothing               shm if all nodes are via: local; softroce if all are on this machine, in namespaces
//
// Only processes that are via: local share memory. Two machines share none, nor do two emulated
// ones. Between real machines there is no default, because a NIC and software are different
// measurements.
func (c *Assignment) Device(n *Node) (string, error) {
	alone := c.every(func(n *Node) bool { return n.Via == launch.Local })
	switch name := n.RDMA.Device; {
	case name == "shm" && !alone:
		return "", fmt.Errorf("node %s: found rdma: {device: shm}, allowed: between nodes that "+
			"are via: local; the others have no memory in common", n.Name)
	case name == "softroce" || name == "" && !alone && c.every((*Node).OnThisMachine):
		if addr, err := netip.ParseAddr(n.Address); !n.Emulated() && (err != nil || !addr.Is4()) {
			return "", fmt.Errorf("node %s: found the address %s, allowed: for softroce an IPv4 "+
				"address, not a name", n.Name, n.Address)
		}
		return "softroce:" + cmp.Or(n.Address, "ITS-ADDRESS"), nil // that it gets later
	case name == "" && alone:
		return "shm", nil
	case name == "":
		return "", fmt.Errorf("node %s: found no rdma device, allowed: rdma: {device: NAME} with "+
			"a NIC's name (such as mlx5_0), or softroce, which is software and says so in every "+
			"result", n.Name)
	case name == "shm" || strings.Contains(name, ":"):
		return name, nil
	default:
		return "ibverbs:" + name, nil
	}
}

// LaneDevice names the device that joins two halves on two nodes, for one of them. Between nodes on
// this machine that is shared memory, which plays PCIe, unless one of them names another device.
func LaneDevice(n, other *Node) (string, error) {
	maps := func(n *Node) bool {
		return n.OnThisMachine() && (n.RDMA.Device == "" || n.RDMA.Device == "shm")
	}
	if maps(n) && maps(other) {
		return "shm", nil
	}
	pair := Assignment{Server: *n, Clients: []Node{*other}}
	return pair.Device(n)
}

// LaneDeviceOf names the device of a node's lanes; "": the node has none.
func (c *Assignment) LaneDeviceOf(n *Node) (string, error) {
	for _, pair := range c.Lanes() {
		for i := range pair {
			if pair[i].Name == n.Name {
				return LaneDevice(pair[i], pair[1-i])
			}
		}
	}
	return "", nil
}

// CheckLanes refuses halves whose nodes have no device in common.
func CheckLanes(t *Testbed, c *Assignment) error {
	for _, pair := range c.Lanes() {
		var devices [2]string
		var err error
		for i := range pair {
			if devices[i], err = LaneDevice(pair[i], pair[1-i]); err != nil {
				return fmt.Errorf("%s%w", t.Place(pair[i].Name), err)
			}
		}
		a, _, _ := strings.Cut(devices[0], ":")
		if b, _, _ := strings.Cut(devices[1], ":"); a != b {
			return fmt.Errorf("%snode %s: found the rdma device %s, and %s has %s, allowed: the "+
				"same kind at both ends of a lane", t.Place(pair[1].Name), pair[1].Name,
				devices[1], pair[0].Name, devices[0])
		}
	}
	return nil
}

func (c *Assignment) every(is func(*Node) bool) bool {
	return !slices.ContainsFunc(c.All(), func(n *Node) bool { return !is(n) })
}

// DevicesOf returns the devices that the placements would open on a node.
func (t *Testbed) DevicesOf(n *Node) []RDMA {
	var refs []RDMA
	for _, p := range t.Placements() {
		c, err := t.Assign(p.Name)
		if err != nil || !slices.ContainsFunc(c.All(), func(o *Node) bool {
			return o.Name == n.Name
		}) {
			continue
		}
		open := c.Device
		if c.Split() {
			open = c.LaneDeviceOf
		}
		device, err := open(n)
		if device == "" {
			continue // it has no lanes
		}
		if ref := (RDMA{device, n.verbsOptions()}); err == nil && !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	return refs
}

// CheckDevices refuses nodes that cannot communicate by RDMA, and points with two kinds of devices.
func CheckDevices(t *Testbed, c *Assignment) error {
	var first, firstKind string
	for _, n := range c.All() {
		device, err := c.Device(n)
		if err != nil {
			return fmt.Errorf("%s%w", t.Place(n.Name), err)
		}
		kind, _, _ := strings.Cut(device, ":")
		if first == "" {
			first, firstKind = n.Name, kind
		}
		if kind != firstKind {
			return fmt.Errorf("%snode %s: found the rdma device %s, and %s has %s, allowed: the "+
				"same kind on all nodes of a placement", t.Place(n.Name), n.Name, device, first,
				firstKind)
		}
	}
	return nil
}
