package testbedcheck

import (
	"fmt"
	"strings"

	"dpukv/kvs"
	"dpukv/kvs/stores"
	"dpukv/placement/node"
	"dpukv/placement/process"
	"dpukv/placement/submode/card"
	"dpukv/placement/survey"
	"dpukv/placement/testbed"
)

// roles tells where the processes of a placement run, and over what the lanes of halves.
func roles(c *testbed.Assignment) string {
	var parts []string
	last := process.Role("")
	for _, p := range process.Of(c) {
		if p.Role == last {
			parts[len(parts)-1] += " and " + p.Node.Name
		} else {
			parts, last = append(parts, string(p.Role)+" on "+p.Node.Name), p.Role
		}
	}
	for _, pair := range c.Lanes() {
		device, _ := testbed.LaneDevice(pair[0], pair[1])
		parts = append(parts, fmt.Sprintf("lanes between %s and %s over %s", pair[0].Name,
			pair[1].Name, device))
	}
	return strings.Join(parts, ", ")
}

// whyWith tells why a placement cannot run with a store; "" if it can.
func (t *table) whyWith(c *testbed.Assignment, store string) string {
	st, err := stores.Named(store)
	switch {
	case err != nil:
		return err.Error()
	case c.Split() && st.Halves == nil:
		return "only " + strings.Join(stores.NamesOf(func(st *kvs.Store) bool {
			return st.Halves != nil
		}), ", ") + " can be split"
	}
	if why := t.why(c); why != "" {
		return why
	}
	switch {
	case c.Split():
		return t.whyNoDevice(c, testbed.CheckLanes(t.bed, c), c.LaneDeviceOf)
	case st.OverVerbs():
		return t.whyNoDevice(c, testbed.CheckDevices(t.bed, c), c.Device)
	}
	return ""
}

// why tells why a placement cannot run with any store; "" if it can.
func (t *table) why(c *testbed.Assignment) string {
	for _, n := range c.All() {
		switch v := t.visit(n.Name); {
		case v.err != nil:
			return "node " + n.Name + " cannot be used"
		case n.Kind == testbed.KindDPU && v.mode() == survey.NICMode:
			return fmt.Sprintf("the card of node %s is in NIC mode, in which its Arm has no "+
				"network; to do: %s", n.Name, card.HowTo(v.found.Report.BlueField.Bus,
				card.Separated))
		}
	}
	for _, way := range c.Ways() {
		from, to := t.visit(way[0].Name), t.visit(way[1].Name)
		switch {
		case to.found.Error != "":
			return fmt.Sprintf("node %s cannot listen at its address: %s", to.node.Name,
				to.found.Error)
		case from != to && from.reached.Errors[to.found.Addr] != "":
			return blocked(from.node, to, from.reached.Errors[to.found.Addr])
		}
	}
	return ""
}

// whyNoDevice tells which node's device does not open. refused is why the nodes' devices do not
// fit each other.
func (t *table) whyNoDevice(
	c *testbed.Assignment, refused error, device func(*testbed.Node) (string, error),
) string {
	if refused != nil {
		return refused.Error()
	}
	for _, n := range c.All() {
		v := t.visit(n.Name)
		name, _ := device(v.node)
		if fault := v.found.Devices[name]; fault != "" {
			return fmt.Sprintf("node %s: %s", n.Name, fault)
		}
	}
	return ""
}

// blocked tells that a node does not connect to the server's node.
func blocked(from *testbed.Node, server *visit, fault string) string {
	way := node.Way{Client: from.Name, ClientAddr: from.Address, Server: server.node.Name}
	if !server.node.Ports.Any() {
		way.Ports = server.node.Ports.String()
	}
	return way.Blocked(server.found.Addr, fault)
}
