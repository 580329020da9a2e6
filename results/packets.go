package results

import "dpukv/kvs"

// Packets counts packets of TCP sockets, by the kernel, or of a verbs device. Payload is the
// content of TCP or UDP: it includes the headers of RoCE, and none of TCP, UDP, IP and Ethernet. A
// packet is one on the wire: each segment of a longer send (TSO, GSO) counts.
type Packets struct {
	Sources int `json:"sources,omitempty"` // sockets or devices that reported; 0: nothing is known
	// Shared tells that other traffic is in the counts too, as at the port of a NIC.
	Shared bool `json:"shared,omitempty"`
	// SentPackets counts all packets. Pure acknowledgements are in it, and not among those with
	// data. A device does not tell the two apart.
	SentPackets     uint64 `json:"sent_packets,omitempty"`
	ReceivedPackets uint64 `json:"received_packets,omitempty"`  // all packets received
	SentDataPackets uint64 `json:"sent_data_packets,omitempty"` // packets sent with data
	// packets received with data
	ReceivedDataPackets uint64 `json:"received_data_packets,omitempty"`
	// ResentPackets counts retransmissions. They are in the other counts too.
	ResentPackets uint64 `json:"resent_packets,omitempty"`
	// packets that arrived before an earlier one
	OutOfOrderPackets uint64 `json:"out_of_order_packets,omitempty"`
	// bytes sent, retransmissions included
	SentBytes uint64 `json:"sent_bytes,omitempty"`
	// bytes acknowledged, and one for the handshake
	AckedBytes    uint64 `json:"acked_bytes,omitempty"`
	ResentBytes   uint64 `json:"resent_bytes,omitempty"`   // bytes sent again
	ReceivedBytes uint64 `json:"received_bytes,omitempty"` // bytes received in order, each once
}

// Add adds the counts of o.
func (p *Packets) Add(o *Packets) {
	p.Sources += o.Sources
	p.Shared = p.Shared || o.Shared
	p.SentPackets += o.SentPackets
	p.ReceivedPackets += o.ReceivedPackets
	p.SentDataPackets += o.SentDataPackets
	p.ReceivedDataPackets += o.ReceivedDataPackets
	p.ResentPackets += o.ResentPackets
	p.OutOfOrderPackets += o.OutOfOrderPackets
	p.SentBytes += o.SentBytes
	p.AckedBytes += o.AckedBytes
	p.ResentBytes += o.ResentBytes
	p.ReceivedBytes += o.ReceivedBytes
}

// LostShare is the share of a side's packets above which packet loss is a warning.
const LostShare = 0.001

// Over returns some as a share of the packets of, and whether it is above [LostShare].
func (p *Packets) Over(some, of uint64) (share float64, over bool) {
	if of == 0 {
		return 0, false
	}
	share = float64(some) / float64(of)
	return share, share > LostShare
}

// ResentWarning is the warning about a side whose TCP resent packets. It is empty if few were.
// A lost packet costs its connection the time until TCP misses it, and a part of TCP's window.
func (p *Packets) ResentWarning(side, when string) Warning {
	share, over := p.Over(p.ResentPackets, p.SentDataPackets)
	if !over {
		return Warning{}
	}
	return LostPackets.Warn(
		"the network lost or delayed packets of the %s: %d of %d sent %s (%.2g "+
			"%%, limit %.2g %%) were sent again. The latency of what waited for them includes the "+
			"wait. Look for drops and errors on the path (ip -s link, ethtool -S)",
		side, p.ResentPackets, p.SentDataPackets, when, 100*share, 100*LostShare)
}

// Moved is the traffic of one side.
type Moved struct {
	Sockets Packets `json:"sockets,omitzero"` // traffic of its TCP sockets
	Device  Packets `json:"device,omitzero"`  // traffic of its verbs device
}

// MovedOf is the traffic that a store or a probe counted.
func MovedOf(m kvs.Moved) Moved {
	return Moved{Sockets: Packets(m.Sockets), Device: Packets(m.Device)}
}

// Add adds the traffic of o.
func (m *Moved) Add(o *Moved) {
	m.Sockets.Add(&o.Sockets)
	m.Device.Add(&o.Device)
}
