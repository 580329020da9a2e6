package packets

// Counts are the kernel's counters of TCP sockets, or a verbs device's counters of its packets.
// The counts begin with the socket or the device. Payload is what TCP or UDP carries: it includes
// RoCE's headers, but not those of TCP, UDP, IP and Ethernet. A packet is a packet on the wire: the
// kernel counts each segment of a longer send (TSO, GSO) separately.
type Counts struct {
	// Sources is the number of sockets or devices that reported counters. 0: nothing is known.
	Sources int
	// Shared reports whether the counters include other users' packets, as those of a NIC's port
	// do.
	Shared bool
	// These count all packets, pure acknowledgements included. For a socket they include the first
	// packet of the handshake, but not the last packets of the shutdown.
	SentPackets, ReceivedPackets uint64
	// These count packets with payload, retransmissions included. They are 0 for devices, which
	// don't count them separately.
	SentDataPackets, ReceivedDataPackets uint64
	// ResentPackets counts retransmissions: TCP or the device took these packets for lost.
	ResentPackets uint64
	// OutOfOrderPackets counts packets that arrived before one that was sent earlier. The earlier
	// packet was lost or overtaken.
	OutOfOrderPackets uint64
	// SentBytes is payload, retransmissions included; it is 0 before Linux 4.19. AckedBytes is the
	// acknowledged part of it; the kernel counts one more for the handshake.
	SentBytes, AckedBytes, ResentBytes uint64
	ReceivedBytes                      uint64 // payload in order, each byte once
}

// Add adds other counters.
func (p *Counts) Add(o *Counts) {
	p.Sources += o.Sources
	p.Shared = p.Shared || o.Shared
	p.each(o, func(a, b uint64) uint64 { return a + b })
}

// Since returns the difference from earlier counters of the same sources. Sources that have
// disappeared since then count nothing.
func (p Counts) Since(was *Counts) Counts {
	p.each(was, func(a, b uint64) uint64 { return max(a, b) - b })
	return p
}

// each calls with for every pair of corresponding counters.
func (p *Counts) each(o *Counts, with func(a, b uint64) uint64) {
	theirs := o.counts()
	for i, n := range p.counts() {
		*n = with(*n, *theirs[i])
	}
}

func (p *Counts) counts() [10]*uint64 {
	return [...]*uint64{
		&p.SentPackets, &p.ReceivedPackets, &p.SentDataPackets, &p.ReceivedDataPackets,
		&p.ResentPackets, &p.OutOfOrderPackets,
		&p.SentBytes, &p.AckedBytes, &p.ResentBytes, &p.ReceivedBytes,
	}
}
