package verbs

import "dpukv/internal/packets"

// ibWord is the unit of InfiniBand's byte counters.
const ibWord = 4

// PacketsOf returns a device's packet counters, if it has any: shm sends no packets. They are of
// the same type as those of sockets, and show which way a load took.
func PacketsOf(d Device) packets.Counts {
	c := d.Counters()
	switch d.Info().Provider {
	case "softroce":
		return packets.Counts{
			Sources:     1,
			SentPackets: c["tx_packets"], SentBytes: c["tx_bytes"],
			ReceivedPackets: c["rx_packets"], ReceivedBytes: c["rx_bytes"],
			ResentPackets: c["retransmitted"],
		}
	case "ibverbs":
		return portPackets(c)
	}
	return packets.Counts{}
}

// portPackets returns the counters of a NIC's port. It uses the names of Linux' ABI, or else those
// of rxe, which counts no bytes.
func portPackets(c map[string]uint64) packets.Counts {
	p := packets.Counts{
		Shared:      true,
		SentPackets: c["port_xmit_packets"], SentBytes: ibWord * c["port_xmit_data"],
		ReceivedPackets: c["port_rcv_packets"], ReceivedBytes: ibWord * c["port_rcv_data"],
	}
	if p.SentPackets == 0 && p.ReceivedPackets == 0 {
		p.SentPackets, p.ReceivedPackets = c["sent_pkts"], c["rcvd_pkts"]
	}
	if p.SentPackets > 0 || p.ReceivedPackets > 0 {
		p.Sources = 1
	}
	return p
}
