package results

import "fmt"

// Packets holds the packet counts of TCP sockets, by the kernel, or of a verbs device. Payload is
// the content of TCP or UDP. It includes RoCE's headers, but not those of TCP, UDP, IP and
// Ethernet. A packet is a packet on the wire: each segment of a longer send (TSO, GSO) counts for
// itself.
type Packets struct {
	Sources int  `json:"sources,omitempty"` // sockets or devices with counts; 0: unknown
	Shared  bool `json:"shared,omitempty"`  // other programs' traffic counts too: a NIC's port
	// Pure acknowledgements count among all packets but not among those with data. A device does
	// not distinguish the two.
	SentPackets         uint64 `json:"sent_packets,omitempty"`
	ReceivedPackets     uint64 `json:"received_packets,omitempty"`
	SentDataPackets     uint64 `json:"sent_data_packets,omitempty"`
	ReceivedDataPackets uint64 `json:"received_data_packets,omitempty"`
	// ResentPackets were sent again because they seemed lost; all counts above include them.
	ResentPackets     uint64 `json:"resent_packets,omitempty"`
	OutOfOrderPackets uint64 `json:"out_of_order_packets,omitempty"` // overtook an earlier one
	SentBytes         uint64 `json:"sent_bytes,omitempty"`           // including resent bytes
	AckedBytes        uint64 `json:"acked_bytes,omitempty"`          // one more for the handshake
	ResentBytes       uint64 `json:"resent_bytes,omitempty"`
	ReceivedBytes     uint64 `json:"received_bytes,omitempty"` // in order, each byte once
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

// ResentWarning is the warning about a side whose TCP resent packets; it is "" if few were resent.
// A lost packet costs its connection the time until TCP misses it, and a part of TCP's window.
func (p *Packets) ResentWarning(side, when string) string {
	share, over := p.Over(p.ResentPackets, p.SentDataPackets)
	if !over {
		return ""
	}
	return fmt.Sprintf("the network lost packets of the %s, "+
		"or held them up for longer than TCP waits: "+
		"%d of %d sent %s (%.2g %%; %.2g %% is the limit) were sent again, and what waited for them "+
		"has the wait in its latency: look for drops and errors on the way (ip -s link, ethtool -S)",
		side, p.ResentPackets, p.SentDataPackets, when, 100*share, 100*LostShare)
}

// Moved is a side's traffic on the network, by its TCP sockets and its verbs device.
type Moved struct {
	Sockets Packets `json:"sockets,omitzero"`
	Device  Packets `json:"device,omitzero"`
}

// Add adds the traffic of o.
func (m *Moved) Add(o *Moved) {
	m.Sockets.Add(&o.Sockets)
	m.Device.Add(&o.Device)
}
