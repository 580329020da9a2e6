package verbs

import "fmt"

// RoCEPort is the UDP port that all packets of RoCE v2 go to.
const RoCEPort = 4791

const flowLabelBits = 20

// UDPSourcePort is the port from which a RoCE v2 NIC sends the packets of a queue pair with a flow
// label, as Linux and rdma-core compute it (rdma_flow_label_to_udp_sport).
func UDPSourcePort(flowLabel uint32) uint16 {
	const low, high, first = 0x03fff, 0xfc000, 0xc000
	return uint16((flowLabel&low)^(flowLabel&high)>>14) | first
}

// CheckFlowLabel refuses one that no packet could carry.
func (c *QPConfig) CheckFlowLabel() error {
	switch {
	case c.FlowLabel >= 1<<flowLabelBits:
		return fmt.Errorf("found the flow label %#x, allowed: %d bits", c.FlowLabel, flowLabelBits)
	case c.FlowLabel != 0 && c.Type == UD:
		return fmt.Errorf("found the flow label %#x on UD, allowed: on UC and RC; a datagram has that of its address handle", c.FlowLabel)
	}
	return nil
}
