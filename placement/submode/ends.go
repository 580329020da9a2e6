package submode

import (
	"errors"
	"fmt"

	"dpukv/results"
)

// Ends is what the two ends of a load moved between two moments, by the counts of their own sockets
// and devices.
type Ends struct {
	ToServer, ToClient Moved
	// Datagrams says that it was RoCE in UDP.
	Datagrams bool
	// Sent says that of datagrams to the server it is known that they were sent, and not which
	// came: some may have been lost on the way.
	Sent bool
}

// Moved is what crossed the network one way.
type Moved struct {
	// Payload of TCP or UDP: Bytes certainly crossed, each once, in Packets as the wire carries
	// them. With what was sent again it were MostBytes in MostPackets.
	Bytes, Packets         uint64
	MostBytes, MostPackets uint64
}

// EndsOf reads what the clients moved, and their server; nil: they do not know. The kernel did not
// tell, or a NIC's port counted what others sent, too. A server that told nothing is done without:
// over TCP, a client knows what came there.
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

// Gate is an interface on the way, with what it counted each way between the two moments.
type Gate struct {
	Name               string
	ToServer, ToClient Count
	MTU                int
	// Behind says that it is the forwarder's side to the server, before which datagrams may be
	// lost.
	Behind bool
}

// Count is what an interface counted one way. A packet may be many of the wire's: what GRO joined,
// or what TSO is to cut.
type Count struct{ Packets, Bytes uint64 }

func (c Count) since(was Count) Count {
	return Count{c.Packets - min(was.Packets, c.Packets), c.Bytes - min(was.Bytes, c.Bytes)}
}

// What a gate has to have seen of what the ends moved, and may have seen beside it.
const (
	// leastSeen is for what certainly crossed. The rest is for acknowledgements that were lost.
	leastSeen = 0.95
	// leastSent is for datagrams of which only is known that they were sent.
	leastSent = 0.90
	// mostSeen leaves room for what a server sent again that does not tell.
	mostSeen = 1.25
	// besides are packets that are nobody's load: the ends of connections, ARP, a log-in.
	besides      = 1000
	besidesBytes = 1 << 20
)

// Headers that are in an interface's bytes: IPv4's and, without options, those of what it carries;
// and all that there may be. Ethernet's is in those of some interfaces and not of others: veth
// counts it, or does not where the other end has GRO.
const (
	tcpHeaders  = 20 + 20
	udpHeaders  = 20 + 8
	mostHeaders = 18 + 40 + 60
)

// ErrAnotherWay is wrapped by the error of a load whose ends sent what an interface did not see.
var ErrAnotherWay = errors.New("the rest took another way")

// LeastShare is the smallest share of crossings; 1 of none.
func LeastShare(list []results.Crossing) float64 {
	least := 1.0
	for i := range list {
		least = min(least, list[i].Share)
	}
	return least
}

// Compare holds what gates counted against what the ends moved. It is an error where one has not
// seen what crossed, or has seen much more; of several gates that have not, the worst is told.
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

// missed is the error of a gate that has not seen what crossed.
type missed struct {
	error
	share float64
}

func (m missed) Unwrap() error { return m.error }

// worse is the error of less that was seen.
func worse(a, b error) error {
	var was, is missed
	switch {
	case a == nil || errors.As(b, &is) && (!errors.As(a, &was) || is.share < was.share):
		return b
	default:
		return a
	}
}

// judge refuses a crossing of which too little was seen, or with which too much was.
func (m *Moved) judge(c *results.Crossing, least float64) error {
	switch {
	case m.Bytes == 0:
		return fmt.Errorf("found nothing that the ends sent %s by their own counts", c.Way)
	case c.Share < least:
		err := fmt.Errorf("found %d bytes in %d packets that the ends sent %s by their own "+
			"counts, and at %s only %d bytes in %d packets with headers: a share of %.3f, allowed: "+
			"%.2f or more: %w", m.Bytes, m.Packets, c.Way, c.At, c.SeenBytes, c.SeenPackets, c.Share, least,
			ErrAnotherWay)
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

// share is the part of what crossed that a gate saw, by bytes and, of TCP, by packets: whichever is
// less. Bytes alone would not tell where packets are small, since headers that may not be there are
// taken for payload. Packets alone would not where one at the gate is many of the wire's. One that
// is may have as many full ones in it as its bytes fill. So the share is never too low. It is too
// high by a seventh at most, and of datagrams by Ethernet's 14 bytes in each.
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
