package run

import (
	"fmt"
	"slices"
	"strings"

	"dpukv/kvs"
	"dpukv/kvs/stores"
	"dpukv/placement/submode"
	"dpukv/placement/submode/packetfilter"
	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
)

// checkSubmodes refuses submodes that the testbed, a placement or a store does not allow.
func checkSubmodes(s *sweep.Sweep, t *testbed.Testbed) (errs []error) {
	for _, name := range s.Submodes {
		for _, placement := range s.Placements {
			for _, f := range s.Filters {
				if err := checkSubmode(s, t, name, placement, sweep.WorkOnPath(f)); err != nil {
					errs = append(errs, fmt.Errorf("%ssubmode: %s with %s: %w",
						s.Place("submode", name), name, placement, err))
					break
				}
			}
		}
	}
	return errs
}

func checkSubmode(
	s *sweep.Sweep, t *testbed.Testbed, name, placement string, f packetfilter.Filter,
) error {
	if !submode.OnPath(name) && f.String() != "" {
		return fmt.Errorf("found filter %s: there is no DPU on the path, allowed: with an "+
			"on-path submode", f)
	}
	c, err := t.Assign(placement)
	if err != nil {
		return nil //nolint:nilerr // said elsewhere
	}
	c = c.For(name)
	if err := checkDevices(s, t, &c); err != nil {
		return err
	}
	switch name {
	case submode.OffPath:
		return nil
	case submode.OffPathSF:
		return checkOffPathSF(t, &c)
	}
	if err := checkFilterOfStores(s, &f); err != nil {
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
	if err := checkRDMA(s, &c, name); err != nil {
		return err
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

// checkDevices checks the nodes' devices in the modes of the cards that a submode asks for.
func checkDevices(s *sweep.Sweep, t *testbed.Testbed, c *testbed.Assignment) error {
	if !slices.ContainsFunc(s.Stores, stores.OverVerbs) {
		return nil
	}
	return testbed.CheckDevices(t, c)
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
func checkRDMA(s *sweep.Sweep, c *testbed.Assignment, name string) error {
	if !slices.ContainsFunc(s.Stores, stores.OverVerbs) {
		return nil
	}
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

// rdmaWarnings returns what is only inferred of a point over an RDMA NIC. No document and no
// measurement says that flows of OVS-DPDK carry RoCE in the eSwitch as those of SM4 do.
func rdmaWarnings(name string, overVerbs bool, device string) []string {
	if name != submode.SM5 || !overVerbs || strings.HasPrefix(device, "softroce") {
		return nil
	}
	return []string{"that " + submode.SM5 + " forwards the packets of an RDMA NIC in the " +
		"eSwitch, as " + submode.SM4 + " does, is inferred and not shown here"}
}

// checkFilterOfStores: a filter for partitions or operations needs them at a known place in each
// packet. Only HERD's requests have them there.
func checkFilterOfStores(s *sweep.Sweep, f *packetfilter.Filter) error {
	if !f.ReadsRequests() {
		return nil
	}
	for _, store := range s.Stores {
		if !stores.OverVerbs(store) {
			return fmt.Errorf("found filter %s with store %s, allowed: with %s. The requests of "+
				"%s lie in a TCP stream, whose segments begin anywhere in a request and hold "+
				"those for other keys, too: one that is dropped is sent again for ever, and holds "+
				"up all behind it",
				f, store, strings.Join(stores.NamesOf((*kvs.Store).OverVerbs), " and "), store)
		}
	}
	return nil
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
