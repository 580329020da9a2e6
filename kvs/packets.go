package kvs

// Packets are the kernel's counters of TCP sockets, or a verbs device's counters of its packets.
// The counts begin with the socket or the device. Payload is what TCP or UDP carries: it includes
// RoCE's headers, but not those of TCP, UDP, IP and Ethernet. A packet is a packet on the wire: the
// kernel counts each segment of a longer send (TSO, GSO) separately.
type Packets struct {
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
func (p *Packets) Add(o *Packets) {
	p.Sources += o.Sources
	p.Shared = p.Shared || o.Shared
	p.each(o, func(a, b uint64) uint64 { return a + b })
}

// Since returns the difference from earlier counters of the same sources. Sources that have
// disappeared since then count nothing.
func (p Packets) Since(was *Packets) Packets {
	p.each(was, func(a, b uint64) uint64 { return max(a, b) - b })
	return p
}

// each calls with for every pair of corresponding counters.
func (p *Packets) each(o *Packets, with func(a, b uint64) uint64) {
	theirs := o.counts()
	for i, n := range p.counts() {
		*n = with(*n, *theirs[i])
	}
}

func (p *Packets) counts() [10]*uint64 {
	return [...]*uint64{
		&p.SentPackets, &p.ReceivedPackets, &p.SentDataPackets, &p.ReceivedDataPackets,
		&p.ResentPackets, &p.OutOfOrderPackets,
		&p.SentBytes, &p.AckedBytes, &p.ResentBytes, &p.ReceivedBytes,
	}
}

// Moved is the traffic of a client or a server on the machine's network: that of its TCP sockets,
// and that of its verbs device.
type Moved struct{ Sockets, Device Packets }

// Add adds other traffic.
func (m *Moved) Add(o *Moved) {
	m.Sockets.Add(&o.Sockets)
	m.Device.Add(&o.Device)
}

// Since returns the difference from earlier counters.
func (m Moved) Since(was *Moved) Moved {
	return Moved{m.Sockets.Since(&was.Sockets), m.Device.Since(&was.Device)}
}
