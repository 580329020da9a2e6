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
					errs = append(errs, fmt.Errorf("%ssubmodes: %s with %s: %w",
						s.Place("submodes", name), name, placement, err))
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
	if name == submode.OffPath {
		return nil
	}
	if err := checkFilterOfStores(s, &f); err != nil {
		return err
	}
	c, err := t.Assign(placement)
	if err != nil {
		return nil //nolint:nilerr // said elsewhere
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

// checkRDMA: an RDMA NIC's packets never reach the CPU of a DPU on the path. softroce's packets do:
// they are UDP.
func checkRDMA(s *sweep.Sweep, c *testbed.Assignment, name string) error {
	if name == submode.SM4 || !slices.ContainsFunc(s.Stores, stores.OverVerbs) {
		return nil
	}
	for _, n := range c.All() {
		device, err := c.Device(n)
		if err != nil {
			return nil //nolint:nilerr // said elsewhere
		}
		if !strings.HasPrefix(device, "softroce") {
			return fmt.Errorf("found a store over RDMA with the device %s of node %s, allowed: "+
				"rdma: {device: softroce}, stores over TCP, or %s: "+
				"an RDMA NIC's packets pass an on-path DPU in its eSwitch only", device, n.Name,
				submode.SM4)
		}
	}
	return nil
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
				"%s lie in a TCP stream, whose segments begin anywhere in a "+
				"request and hold those for other keys, too: one that is dropped is sent again "+
				"for ever, "+
				"and holds up all behind it",
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
