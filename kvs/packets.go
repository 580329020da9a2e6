package kvs

// Packets is what the kernel counted of TCP sockets, or a verbs device of its packets. The counts
// begin with the socket or the device. Payload is what TCP or UDP carries: RoCE's headers are in
// it, those of TCP, UDP, IP and Ethernet are not. A packet is what the wire carries: the kernel
// counts each segment of a longer send (TSO, GSO) for itself.
type Packets struct {
	// Sources is how many sockets or devices told anything; 0: nothing is known.
	Sources int
	// Shared says that others use what was counted too: the port of a NIC.
	Shared bool
	// All packets, also those that only acknowledge; of a socket also the first one of the
	// handshake, but not the last ones of its end.
	SentPackets, ReceivedPackets uint64
	// Packets with payload, those sent again included; 0 of devices, which don't tell them apart.
	SentDataPackets, ReceivedDataPackets uint64
	// ResentPackets are those that were sent again, because TCP or the device took them for lost.
	ResentPackets uint64
	// OutOfOrderPackets came before one that was sent earlier: it was lost, or overtaken.
	OutOfOrderPackets uint64
	// SentBytes is payload, what was sent again included: 0 before Linux 4.19. AckedBytes of it
	// are known to have come; the kernel counts one more for the handshake.
	SentBytes, AckedBytes, ResentBytes uint64
	ReceivedBytes                      uint64 // payload in order, each byte once
}

// Add adds what others counted.
func (p *Packets) Add(o *Packets) {
	p.Sources += o.Sources
	p.Shared = p.Shared || o.Shared
	p.each(o, func(a, b uint64) uint64 { return a + b })
}

// Since is what was counted since the same sources had counted was. What is gone since counts
// nothing.
func (p Packets) Since(was *Packets) Packets {
	p.each(was, func(a, b uint64) uint64 { return max(a, b) - b })
	return p
}

// each puts every count together with another's.
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

// Moved is what crossed the machine's network for a client or a server: what its TCP sockets
// carried, and its verbs device.
type Moved struct{ Sockets, Device Packets }

// Add adds what others moved.
func (m *Moved) Add(o *Moved) {
	m.Sockets.Add(&o.Sockets)
	m.Device.Add(&o.Device)
}

// Since is what was moved since was.
func (m Moved) Since(was *Moved) Moved {
	return Moved{m.Sockets.Since(&was.Sockets), m.Device.Since(&was.Device)}
}
