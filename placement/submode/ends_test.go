package submode

import (
	"math"
	"strings"
	"testing"

	"dpukv/results"
)

const ethernet = 14

// stream returns the traffic of a TCP load one way, in packets of payload bytes, with timestamps.
func stream(packets, payload uint64) (Moved, Count) {
	bytes := packets * payload
	return Moved{bytes, packets, bytes, packets}, Count{packets, bytes + packets*(ethernet+20+32)}
}

// part returns the part of a count that passes a gate.
func (c Count) part(share float64) Count {
	return Count{uint64(share * float64(c.Packets)), uint64(share * float64(c.Bytes))}
}

// TestCompareShare: the share of a bypass is right for all packet sizes. It does not matter whether
// the interface counts the Ethernet header, or counts many of the wire's packets as one.
func TestCompareShare(t *testing.T) {
	const packets = 100_000
	for _, payload := range []uint64{1, 8, 24, 40, 100, 180, 400, 1000, 1448} {
		for _, share := range []float64{1, 0.8, 0.6, 0.5, 0.01} {
			for _, counted := range []bool{true, false} {
				m, seen := stream(packets, payload)
				if !counted {
					seen.Bytes -= packets * ethernet
				}
				got := (&Gate{MTU: 1500}).share(&m, seen.part(share), false)
				if got < share-0.001 || got > share*8/7+0.01 || share <= 0.8 && got >= leastSeen {
					t.Errorf("payload %d, Ethernet counted %v: found a share of %.3f, want %.2f",
						payload, counted, got, share)
				}
				datagrams := seen
				datagrams.Bytes -= packets * (20 + 32 - udpHeaders)
				got = (&Gate{MTU: 1500}).share(&m, datagrams.part(share), true)
				if got < share-0.001 || payload >= leastRoCE && share <= 0.5 && got >= leastSeen {
					t.Errorf("datagrams of %d, Ethernet counted %v: found a share of %.3f, want %.2f",
						payload, counted, got, share)
				}
			}
		}
	}
}

// leastRoCE is the length of the headers of an empty RoCE datagram.
const leastRoCE = 12 + 8 + 4

// TestCompareLargePackets: packets that GRO joined, or that TSO will cut, are no loss.
func TestCompareLargePackets(t *testing.T) {
	const most = 45 // of 1,448 bytes, in 64 KiB
	for _, joined := range []uint64{1, 2, 10, most} {
		m, _ := stream(most*1000, 1448)
		large := m.Packets / joined
		seen := Count{large, m.Bytes + large*(ethernet+20+32)}
		g := Gate{MTU: 1500}
		if got := g.share(&m, seen, false); got < leastSeen {
			t.Errorf("%d packets in one: found a share of %.3f", joined, got)
		}
		if got := g.share(&m, seen.part(0.5), false); got > 0.53 {
			t.Errorf("%d packets in one, half of it elsewhere: found a share of %.3f", joined, got)
		}
	}
}

// TestCompare: Compare refuses the same cases in each direction.
func TestCompare(t *testing.T) {
	to, toSeen := stream(100_000, 900)
	from, fromSeen := stream(90_000, 260)
	for name, c := range map[string]struct {
		change func(e *Ends, wire, host *Gate)
		want   []string
	}{
		"all is well": {func(*Ends, *Gate, *Gate) {}, nil},
		"a way beside to the server": {
			func(_ *Ends, wire, host *Gate) {
				wire.ToServer, host.ToServer = toSeen.part(0.5), toSeen.part(0.4)
			},
			[]string{"to server by their own counts, and at pf0hpf only 38640000 bytes in 40000 packets"},
		},
		"a way beside to the client": {
			func(_ *Ends, wire, host *Gate) {
				wire.ToClient, host.ToClient = fromSeen.part(0.01), fromSeen.part(0.01)
			},
			[]string{"sent to client by their own counts, and at p0 only", "a share of 0.0"},
		},
		"both": {
			func(_ *Ends, wire, host *Gate) {
				wire.ToServer, host.ToServer = Count{}, Count{}
				wire.ToClient, host.ToClient = Count{}, Count{}
			},
			[]string{"to server", "to client"},
		},
		"other traffic": {
			func(_ *Ends, wire, _ *Gate) { wire.ToServer.Packets += 30_000 },
			[]string{"130000 packets at p0", "other traffic is on the way"},
		},
		"other traffic in place of what is beside": {
			func(_ *Ends, wire, host *Gate) {
				big, _ := stream(50_000, 1448)
				wire.ToServer = toSeen.part(0.5)
				wire.ToServer.Bytes += big.Bytes + 66*big.Packets
				wire.ToServer.Packets += 2 * big.Packets
			},
			[]string{"other traffic is on the way"},
		},
		"nothing sent": {
			func(e *Ends, _, _ *Gate) { e.ToServer = Moved{} },
			[]string{"found nothing that the ends sent to server"},
		},
		"datagrams lost before and in the datapath": {
			func(e *Ends, wire, host *Gate) {
				e.Datagrams, e.Sent = true, true
				wire.ToServer, host.ToServer = toSeen.part(0.92), toSeen.part(0.7)
			},
			nil,
		},
		"datagrams beside": {
			func(e *Ends, wire, _ *Gate) {
				e.Datagrams, e.Sent, wire.ToServer = true, true, toSeen.part(0.7)
			},
			[]string{"sent to server"},
		},
	} {
		e := Ends{ToServer: to, ToClient: from}
		wire := Gate{Name: "p0", ToServer: toSeen, ToClient: fromSeen, MTU: 1500}
		host := wire
		host.Name, host.Behind = "pf0hpf", true
		c.change(&e, &wire, &host)
		_, err := e.Compare(wire, host)
		if (err != nil) != (c.want != nil) {
			t.Errorf("%s: found %v, want %q", name, err, c.want)
		}
		for _, want := range c.want {
			if err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: found %v, want %q", name, err, want)
			}
		}
	}
}

// TestEndsOf: a value that a kernel or a device does not report does not count as zero.
func TestEndsOf(t *testing.T) {
	var silent results.Moved
	some := results.Packets{
		Sources: 2, SentPackets: 10, ResentPackets: 2, SentBytes: 120, AckedBytes: 100,
		ReceivedPackets: 5, ReceivedBytes: 50,
	}
	e := EndsOf(&results.Moved{Sockets: some}, &silent)
	if e == nil || e.Datagrams ||
		e.ToServer != (Moved{100, 8, 120, 10}) || e.ToClient != (Moved{50, 5, 50, 5}) {
		t.Errorf("found %+v", e)
	}
	device := results.Packets{
		Sources: 1, SentPackets: 10, SentBytes: 1000, ReceivedPackets: 9, ReceivedBytes: 900,
	}
	server := results.Moved{Device: results.Packets{
		Sources: 1, SentPackets: 12, SentBytes: 1200, ReceivedPackets: 8, ReceivedBytes: 800,
	}}
	e = EndsOf(&results.Moved{Device: device}, &server)
	if e == nil || e.ToServer.Bytes != 800 || e.ToClient != (Moved{900, 9, 1200, 12}) || e.Sent {
		t.Errorf("with the server's device: found %+v", e)
	}
	e = EndsOf(&results.Moved{Device: device}, &silent)
	if e == nil || e.ToServer.Bytes != 1000 || !e.Sent {
		t.Errorf("without the server's device: found %+v", e)
	}
	if e := EndsOf(&results.Moved{}, &silent); e != nil {
		t.Errorf("without counts: found %+v", e)
	}
	port := results.Packets{Sources: 1, Shared: true, SentBytes: math.MaxUint64}
	if e := EndsOf(&results.Moved{Sockets: some, Device: port}, &silent); e != nil {
		t.Errorf("with the counts of a NIC's port: found %+v", e)
	}
}
