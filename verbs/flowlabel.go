package verbs

import "fmt"

// RoCEPort is the UDP destination port of all RoCE v2 packets.
const RoCEPort = 4791

const flowLabelBits = 20

// UDPSourcePort returns the UDP source port of a queue pair with a flow label on a RoCE v2 NIC.
// Linux and rdma-core compute it the same way (rdma_flow_label_to_udp_sport).
func UDPSourcePort(flowLabel uint32) uint16 {
	const low, high, first = 0x03fff, 0xfc000, 0xc000
	return uint16((flowLabel&low)^(flowLabel&high)>>14) | first
}

// CheckFlowLabel refuses a flow label that does not fit a packet.
func (c *QPConfig) CheckFlowLabel() error {
	switch {
	case c.FlowLabel >= 1<<flowLabelBits:
		return fmt.Errorf("flow label: found %#x, allowed: %d bits", c.FlowLabel, flowLabelBits)
	case c.FlowLabel != 0 && c.Type == UD:
		return fmt.Errorf("flow label: found %#x on UD, allowed: on UC and RC; a datagram takes "+
			"that of its address handle", c.FlowLabel)
	}
	return nil
}
