package plan

import (
	"fmt"
	"strings"

	"dpukv/kvs"
	"dpukv/kvs/stores"
	"dpukv/placement/submode"
	"dpukv/placement/submode/packetfilter"
	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
)

func (a *candidate) checkStoreSubmode() error {
	err := a.checkSubmode(a.store.OverVerbs())
	if err != nil {
		err = fmt.Errorf("%ssubmode: %s with %s: %w", a.sweep.Place("submode", a.Submode),
			a.Submode, a.Placement, err)
	}
	return err
}

// checkSubmode refuses a submode that the testbed, the placement or the store does not allow.
func (a *candidate) checkSubmode(overVerbs bool) error {
	t, name, f := a.testbed, a.Submode, sweep.WorkOnPath(a.Filter)
	if !submode.OnPath(name) && f.String() != "" {
		return fmt.Errorf("found filter %s: there is no DPU on the path, allowed: with an "+
			"on-path submode", f)
	}
	c := a.nodes.For(name)
	if overVerbs { // the nodes' devices in the modes of the cards that a submode asks for
		if err := testbed.CheckDevices(t, &c); err != nil {
			return err
		}
	}
	switch name {
	case submode.OffPath:
		return nil
	case submode.OffPathSF:
		return checkOffPathSF(t, &c)
	}
	if err := a.checkFilter(&f); err != nil {
		return err
	}
	if c.Server.Kind != testbed.KindHost {
		return fmt.Errorf("found the server on %s, allowed: on a host, to which the way leads "+
			"through its DPU", c.Server.Name)
	}
	for i := range c.Clients {
		if n := &c.Clients[i]; n.Of == c.Server.Name || n.Name == c.Server.Name ||
			name == submode.Direct && n.Kind != testbed.KindHost {
			return fmt.Errorf("found a client on %s, allowed: on a machine that the way to %s "+
				"starts from", n.Name, c.Server.Name)
		}
	}
	if name == submode.Direct {
		return checkDirect(&c)
	}
	if overVerbs {
		if err := checkRDMA(&c, name); err != nil {
			return err
		}
	}
	dpu := t.DPUOf(c.Server.Name)
	if dpu == nil {
		return fmt.Errorf("found no DPU in %s, allowed: a testbed with a node {kind: dpu, of: %s}",
			c.Server.Name, c.Server.Name)
	}
	if dpu.Emulated() != c.Server.Emulated() {
		return fmt.Errorf("found only one of %s and %s with a namespace of its own, allowed: "+
			"both made by the sweep, or none", dpu.Name, c.Server.Name)
	}
	if _, err := dpu.Submode(name, "", nil, f); err != nil {
		return fmt.Errorf("%snode %s: %w", t.Place(dpu.Name), dpu.Name, err)
	}
	return nil
}

// checkOffPathSF: without a card between the ends, the name would say what is not there.
func checkOffPathSF(t *testbed.Testbed, c *testbed.Assignment) error {
	for _, n := range c.All() {
		if dpu := t.DPUOf(n.HostNode()); dpu != nil && dpu.Target() == submode.BlueField {
			return nil
		}
	}
	return fmt.Errorf("found no BlueField in the hosts of client and server, allowed: a node "+
		"{kind: dpu, of: %s, generation: bf3, via: ssh}; without cards: %s", c.Server.HostNode(),
		submode.OffPath)
}

// checkRDMA: an RDMA NIC's packets never reach the CPU of a DPU on the path. softroce's packets do:
// they are UDP. SM4 and SM5 forward in the eSwitch.
func checkRDMA(c *testbed.Assignment, name string) error {
	for _, n := range c.All() {
		device, err := c.Device(n)
		if err != nil {
			return nil //nolint:nilerr // said elsewhere
		}
		nic := strings.HasPrefix(device, "ibverbs")
		if !strings.HasPrefix(device, "softroce") && !(nic && inESwitch(name)) {
			return fmt.Errorf("found a store over RDMA with the device %s of node %s, allowed: "+
				"rdma: {device: softroce}, stores over TCP, or %s or %s: "+
				"an RDMA NIC's packets pass an on-path DPU in its eSwitch only", device, n.Name,
				submode.SM4, submode.SM5)
		}
	}
	return nil
}

// inESwitch reports whether the DPU's eSwitch forwards in a submode.
func inESwitch(name string) bool { return name == submode.SM4 || name == submode.SM5 }

// checkFilter: a filter for partitions or operations needs them at a known place in each packet.
// Only HERD's requests have them there.
func (a *candidate) checkFilter(f *packetfilter.Filter) error {
	if !f.ReadsRequests() || a.store.OverVerbs() {
		return nil
	}
	return fmt.Errorf("found filter %s with store %s, allowed: with %s. The requests of "+
		"%s lie in a TCP stream, whose segments begin anywhere in a request and hold "+
		"those for other keys, too: one that is dropped is sent again for ever, and holds "+
		"up all behind it",
		f, a.Store, strings.Join(stores.NamesOf((*kvs.Store).OverVerbs), " and "), a.Store)
}

// checkDirect: only emulated hosts can be connected differently from one point to the next.
func checkDirect(c *testbed.Assignment) error {
	for _, n := range c.All() {
		if !n.Emulated() {
			return fmt.Errorf("found node %s, which is not made by the sweep, allowed: via: "+
				"netns without namespace. Another cable between hosts is another testbed, with "+
				"submode off-path", n.Name)
		}
	}
	return nil
}
