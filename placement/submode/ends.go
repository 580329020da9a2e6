package submode

import (
	"errors"
	"fmt"

	"dpukv/results"
)

// Ends is the traffic of the two ends of a load between two moments, by the counts of their own
// sockets and devices.
type Ends struct {
	ToServer, ToClient Moved
	// Datagrams says that the traffic was RoCE in UDP.
	Datagrams bool
	// Sent says that the datagrams to the server are known to be sent, but not which of them
	// arrived: some may have been lost on the way.
	Sent bool
}

// Moved is the traffic that crossed the network one way.
type Moved struct {
	// Payload of TCP or UDP. Bytes certainly crossed, each once, in Packets as the wire carries
	// them. MostBytes in MostPackets include retransmissions.
	Bytes, Packets         uint64
	MostBytes, MostPackets uint64
}

// EndsOf reads the traffic of the clients and their server. It returns nil if the traffic is
// unknown: the kernel did not tell, or a NIC's port also counted the traffic of others. The
// server's counts may be missing: over TCP, a client knows what arrived there.
func EndsOf(clients, server *results.Moved) *Ends {
	tcp, udp := &clients.Sockets, &clients.Device
	if tcp.Sources == 0 && udp.Sources == 0 || udp.Shared {
		return nil
	}
	resent := min(tcp.ResentPackets, tcp.SentPackets)
	e := &Ends{
		ToServer: Moved{
			Bytes:       tcp.AckedBytes + udp.SentBytes,
			Packets:     tcp.SentPackets - resent + udp.SentPackets,
			MostBytes:   max(tcp.SentBytes, tcp.AckedBytes) + udp.SentBytes,
			MostPackets: tcp.SentPackets + udp.SentPackets,
		},
		ToClient: Moved{
			Bytes:   tcp.ReceivedBytes + udp.ReceivedBytes,
			Packets: tcp.ReceivedPackets + udp.ReceivedPackets,
		},
		Datagrams: udp.Sources > 0, Sent: udp.Sources > 0,
	}
	if came := &server.Device; e.Sent && came.Sources > 0 && !came.Shared {
		e.ToServer.Bytes, e.Sent = tcp.AckedBytes+came.ReceivedBytes, false
	}
	a, b := &server.Sockets, &server.Device
	e.ToClient.MostBytes = max(e.ToClient.Bytes, a.SentBytes+b.SentBytes)
	e.ToClient.MostPackets = max(e.ToClient.Packets, a.SentPackets+b.SentPackets)
	return e
}

// Gate is an interface on the way, with its counts each way between the two moments.
type Gate struct {
	Name               string
	ToServer, ToClient Count
	MTU                int
	// Behind says that the gate is the forwarder's side to the server. Datagrams may be lost before
	// it.
	Behind bool
}

// came returns what came in at the gate.
func (g *Gate) came() Count {
	if g.Behind {
		return g.ToClient
	}
	return g.ToServer
}

// Count is an interface's count one way. One of its packets may be many of the wire's: GRO joined
// them, or TSO will cut the packet.
type Count struct{ Packets, Bytes uint64 }

func (c Count) since(was Count) Count {
	return Count{c.Packets - min(was.Packets, c.Packets), c.Bytes - min(was.Bytes, c.Bytes)}
}

// Bounds on the traffic that a gate sees: the least share of the ends' traffic, and the most beside
// it.
const (
	// leastSeen is the bound for traffic that certainly crossed. The rest allows for lost
	// acknowledgements.
	leastSeen = 0.95
	// leastSent is the bound for datagrams that are known to be sent, but not known to have
	// arrived.
	leastSent = 0.90
	// mostSeen leaves room for the retransmissions of a server that does not report them.
	mostSeen = 1.25
	// besides are packets that belong to no load: the ends of connections, ARP, a log-in.
	besides      = 1000
	besidesBytes = 1 << 20
)

// Headers that are in an interface's bytes: the least and the most. The least are IPv4's and,
// without options, those of the protocol above. Some interfaces also count Ethernet's header,
// others do not: veth counts it, except where the other end has GRO.
const (
	tcpHeaders  = 20 + 20
	udpHeaders  = 20 + 8
	mostHeaders = 18 + 40 + 60
)

// ErrAnotherWay is wrapped by the error of a load if an interface did not see what the ends sent.
var ErrAnotherWay = errors.New("the rest took another way")

// LeastShare returns the smallest share of the crossings, or 1 for none.
func LeastShare(list []results.Crossing) float64 {
	least := 1.0
	for i := range list {
		least = min(least, list[i].Share)
	}
	return least
}

// Compare compares the gates' counts with the ends' traffic. It returns an error where a gate has
// not seen the traffic, or has seen much more. If several gates missed traffic, the error is the
// worst one.
func (e *Ends) Compare(gates ...Gate) (list []results.Crossing, err error) {
	sent := leastSeen
	if e.Sent {
		sent = leastSent
	}
	judge := func(g *Gate, way string, m *Moved, seen Count, least float64) error {
		c := results.Crossing{
			Way: way, At: g.Name, MovedBytes: m.Bytes, MovedPackets: m.Packets,
			SeenBytes: seen.Bytes, SeenPackets: seen.Packets, Share: g.share(m, seen, e.Datagrams),
		}
		list = append(list, c)
		return m.judge(&c, least)
	}
	var toServer, toClient error
	for i := range gates {
		g := &gates[i]
		if !g.Behind || !e.Sent {
			toServer = worse(toServer, judge(g, "to server", &e.ToServer, g.ToServer, sent))
		}
		toClient = worse(toClient, judge(g, "to client", &e.ToClient, g.ToClient, leastSeen))
	}
	return list, errors.Join(toServer, toClient)
}

// missed is the error of a gate that missed traffic.
type missed struct {
	error
	share float64
}

func (m missed) Unwrap() error { return m.error }

// worse returns the error of the gate that saw less.
func worse(a, b error) error {
	var was, is missed
	if a == nil || errors.As(b, &is) && (!errors.As(a, &was) || is.share < was.share) {
		return b
	}
	return a
}

// judge refuses a crossing of which the gate saw too little, or too much beside it.
func (m *Moved) judge(c *results.Crossing, least float64) error {
	switch {
	case m.Bytes == 0:
		return fmt.Errorf("found nothing that the ends sent %s by their own counts", c.Way)
	case c.Share < least:
		err := fmt.Errorf("found %d bytes in %d packets that the ends sent %s by their own "+
			"counts, and at %s only %d bytes in %d packets with headers: a share of %.3f, "+
			"allowed: %.2f or more: %w", m.Bytes, m.Packets, c.Way, c.At, c.SeenBytes,
			c.SeenPackets, c.Share, least, ErrAnotherWay)
		return missed{err, c.Share}
	case c.SeenPackets > many(m.MostPackets)+besides,
		c.SeenBytes > many(m.MostBytes+mostHeaders*m.MostPackets)+besidesBytes:
		return fmt.Errorf("found %d bytes in %d packets at %s, and only %d bytes without headers "+
			"in %d packets that the ends sent %s by their own counts: other traffic is on the way",
			c.SeenBytes, c.SeenPackets, c.At, m.MostBytes, m.MostPackets, c.Way)
	}
	return nil
}

func many(n uint64) uint64 { return uint64(mostSeen * float64(n)) }

// share returns the part of the traffic that a gate saw, by bytes and, for TCP, also by packets.
// The smaller one counts. So the share is never too low.
//
// Bytes alone would mislead where packets are small, since headers that may be missing are taken
// for payload. Packets alone would mislead where one packet at the gate is many of the wire's. Such
// a packet may contain as many full ones as its bytes fill. The share is too high by a seventh at
// most, and for datagrams by Ethernet's 14 bytes in each.
func (g *Gate) share(m *Moved, seen Count, datagrams bool) float64 {
	headers := uint64(tcpHeaders)
	if datagrams {
		headers = udpHeaders
	}
	payload := seen.Bytes - min(headers*seen.Packets, seen.Bytes)
	share := min(float64(payload)/float64(max(m.Bytes, 1)), 1)
	if full := uint64(max(g.MTU-mostHeaders, 1)); !datagrams {
		share = min(share, float64(seen.Packets+payload/full)/float64(max(m.Packets, 1)))
	}
	return share
}
