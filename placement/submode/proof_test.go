package submode

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/placement/emulate"
	"dpukv/placement/submode/step"
	"dpukv/results"
)

// TestProve: counters may show other traffic beside the expected way, within limits.
func TestProve(t *testing.T) {
	s := mustNew(t, Config{Submode: SM1, Target: Linux}).setup(lookup(Linux, SM1, "ovs-netdev"), "")
	each := func(n uint64) map[string]uint64 { return map[string]uint64{"p0": n, "pf0hpf": n} }
	for name, c := range map[string]struct {
		change func(before, after *Evidence)
		want   string
	}{
		"all is well": {func(*Evidence, *Evidence) {}, ""},
		"a tenth lost": {
			func(_, e *Evidence) { e.Left, e.Carried = each(1900), each(1900) },
			"",
		},
		"more is lost": {
			func(_, e *Evidence) { e.Carried = each(1899) },
			"found 2000 packets that came in at p0 and pf0hpf, and 1798 that it took",
		},
		"a third lost in front of it": {
			func(_, e *Evidence) { e.Left, e.Carried = each(1700), each(1700) },
			"",
		},
		"most lost": {
			func(_, e *Evidence) { e.Left, e.Carried = each(1400), each(1400) },
			"found 2000 packets that came in at p0 and pf0hpf, and 800 that it took",
		},
		"a third took another way": {
			func(_, e *Evidence) { e.Carried = each(1700) },
			"found 2000 packets that came in at p0 and pf0hpf, and 1400 that it took",
		},
		"dropped by the filter": {
			func(_, e *Evidence) { e.Left, e.Carried, e.Dropped = each(1500), each(1500), 1000 },
			"",
		},
		"it has other work": {
			func(_, e *Evidence) { e.Carried = each(2200) },
			"found 2400 packets that it took, and only 2000 that came in at p0 and pf0hpf: " +
				"it has other work",
		},
		"something else, too": {
			func(_, e *Evidence) { e.Left = each(2200) },
			"found 2000 packets that came in, and 2400 that went out",
		},
		"one way only": {
			func(_, e *Evidence) { e.Came["p0"] = 1000 },
			"found no packet that came in at p0",
		},
		"some strays": {
			func(_, e *Evidence) { e.Elsewhere = map[string]uint64{"main": 300} },
			"",
		},
		"another way": {
			func(_, e *Evidence) { e.Elsewhere = map[string]uint64{"main": 301} },
			"found 301 of 2000 packets on a way that should not be taken",
		},
		"another way, by flows": {
			func(_, e *Evidence) { e.Stray = map[string]uint64{"a": 301} },
			"found 301 of 2000 packets on a way that should not be taken",
		},
		"set up anew": {
			func(_, e *Evidence) { e.Came["p0"] = 999 },
			"came at p0: found 999, after 1000: it was set up anew in between",
		},
		"trains of requests": {
			func(_, e *Evidence) { e.Uncut = 1 },
			"found 1 trains of requests in one piece",
		},
		"by flows, one of them": {
			func(_, e *Evidence) { e.Carried, e.Flows = nil, map[string]uint64{"a": 1000, "b": 900} },
			"",
		},
		"a flow that began anew": {
			func(was, e *Evidence) {
				was.Flows = map[string]uint64{"a": 5000}
				e.Carried, e.Flows = nil, map[string]uint64{"a": 2000}
			},
			"",
		},
		"flows that are too few": {
			func(_, e *Evidence) { e.Carried, e.Flows = nil, map[string]uint64{"b": 1799} },
			"and 1799 that it took",
		},
	} {
		at := func(n uint64) *Evidence {
			return &Evidence{
				Came: each(n), Left: each(n), Counts: Counts{Carried: each(n)}, setup: s,
			}
		}
		before, after := at(1000), at(2000)
		c.change(before, after)
		proof, err := Prove(before, after)
		if !failsWith(err, c.want) {
			t.Errorf("%s: found %v, want %q; %v", name, err, c.want, proof.Packets)
		}
	}
}

// TestForwarderCPU: the CPU time of Open vSwitch's processes is the forwarder's only where these
// processes forward.
func TestForwarderCPU(t *testing.T) {
	for name, want := range map[string]int64{"ovs-netdev": 30, "ovs-system": 0} {
		s := mustNew(t, Config{Submode: SM1, Target: Linux}).setup(lookup(Linux, SM1, name), "")
		at := func(packets uint64, used int64) *Evidence {
			ports := map[string]uint64{"p0": packets, "pf0hpf": packets}
			return &Evidence{
				Came: ports, Left: ports, Counts: Counts{Carried: ports},
				Processes: map[string]int64{"1@2": used}, setup: s,
			}
		}
		proof, err := Prove(at(0, 10), at(100, 40))
		if err != nil || proof.ForwarderCPUNs != want {
			t.Errorf("%s: found %d ns, %v, want %d", name, proof.ForwarderCPUNs, err, want)
		}
	}
}

// TestCarriedShare: the share refers to the ends' traffic.
func TestCarriedShare(t *testing.T) {
	d := lookup(Linux, SM1, "ovs-netdev")
	s := mustNew(t, Config{Submode: SM1, Target: Linux}).setup(d, "")
	m, seen := stream(1000, 900)
	at := func(c Count) *Evidence {
		each := map[string]uint64{"p0": c.Packets, "pf0hpf": c.Packets}
		gate := Gate{ToServer: c, ToClient: c, MTU: 1500}
		return &Evidence{
			Came: each, Left: each, Counts: Counts{Carried: each}, setup: s,
			Gates: map[string]Gate{"p0": gate, "pf0hpf": gate},
		}
	}
	for share, fails := range map[float64]bool{1: false, 0.5: true} {
		p, err := ProveLoad(at(Count{}), at(seen.part(share)), &Ends{ToServer: m, ToClient: m})
		got := p.CarriedShare
		if (err != nil) != fails || got < share-0.001 || got > share*1.04 || len(p.Crossings) != 4 {
			t.Errorf("%.1f: found %.3f, %v, %+v", share, p.CarriedShare, err, p.Crossings)
		}
	}
	p, err := ProveLoad(at(Count{}), at(seen), nil)
	if err != nil || p.CarriedShare != 1 || p.Crossings != nil {
		t.Errorf("without what the ends sent: found %+v, %v", p, err)
	}
}

// TestNoPackets: a datapath that is up proves nothing.
func TestNoPackets(t *testing.T) {
	b := newTestbed(t)
	l := b.apply(t, Config{Submode: SM4, Target: Linux, Datapath: "tc-u32"})
	was := b.evidence(l)
	if _, err := Prove(was, b.evidence(l)); !failsWith(err, "no packet that came in at p0") {
		t.Errorf("found %v, want an error about packets", err)
	}
}

// proves compares the counters with the traffic that the client of a load reports in all.
func (b *testbed) proves(was *Evidence, l *Lease, p *results.Point) (*Proof, error) {
	b.t.Helper()
	ends := EndsOf(&p.ClientMoved, new(results.Moved))
	if ends == nil {
		b.t.Fatalf("the client does not know what it moved: %+v", p.ClientMoved)
	}
	return ProveLoad(was, b.evidence(l), ends)
}

// secondCable connects a and b beside the DPU. No route uses the cable yet.
func (b *testbed) secondCable() {
	b.t.Helper()
	far := must.Get(b.Namespace("b"))(b.t)
	b.run("a", step.Shell(`
ip link add name by0 type veth peer name by1 netns "$1"
ip link set by0 up`, far)...)
	b.run("b", "ip", "link", "set", "by1", "up")
}

// way is a machine's route that bypasses the DPU, in full or in part.
type way struct{ on, route string }

var (
	fromA = way{"a", "198.18.0.2/32 dev by0"}
	fromB = way{"b", "198.18.0.1/32 dev by1"}
	// halfOfA sends every other connection over the second cable.
	halfOfA = way{"a", "198.18.0.2/32 nexthop dev eth0 nexthop dev by0"}
)

func (b *testbed) reroute(ways []way) (back func()) {
	b.t.Helper()
	for _, w := range ways {
		b.run(w.on, append([]string{"ip", "route", "add"}, strings.Fields(w.route)...)...)
	}
	return func() {
		for _, w := range ways {
			b.run(w.on, "ip", "route", "del", strings.Fields(w.route)[0])
		}
	}
}

// bypassed sends some packets through the datapath, and then a load on another way. The proof must
// fail in the directions of that way, and its error must have the share.
func (b *testbed) bypassed(
	t *testing.T, l *Lease, load func() results.Point, directions []string, ways ...way,
) {
	t.Helper()
	b.t = t
	was := b.evidence(l)
	b.run("a", "ping", "-q", "-c", "20", "-i", "0.01", b.Address("b"))
	back := b.reroute(ways)
	defer back()
	p := load()
	proof, err := b.proves(was, l, &p)
	if !errors.Is(err, ErrAnotherWay) || proof.CarriedShare >= leastSeen {
		t.Errorf("found %v, want that the rest took another way; %+v", err, proof)
	}
	for i := range proof.Crossings {
		c := &proof.Crossings[i]
		if missing := c.Share < leastSent; missing != slices.Contains(directions, c.Way) {
			t.Errorf("found a share of %.3f %s at %s, want that only %v took another way",
				c.Share, c.Way, c.At, directions)
		}
	}
	t.Logf("%d operations: %.3f carried, %v", p.Ops, proof.CarriedShare, err)
}

var bothWays = []string{"to server", "to client"}

// TestBypass adds a second cable between the hosts, with a route, after some packets have crossed
// the DPU. The DPU forwards everything that comes to it, but the rest is missing.
func TestBypass(t *testing.T) {
	b := newTestbed(t)
	b.secondCable()
	l := b.apply(t, Config{Submode: SM4, Target: Linux, Datapath: "tcx", CPUs: []int{0}})
	mica := func() results.Point { return b.load() }
	t.Run("both ways", func(t *testing.T) { b.bypassed(t, l, mica, bothWays, fromA, fromB) })
	t.Run("to server", func(t *testing.T) { b.bypassed(t, l, mica, bothWays[:1], fromA) })
	t.Run("to client", func(t *testing.T) { b.bypassed(t, l, mica, bothWays[1:], fromB) })
	t.Run("HERD", func(t *testing.T) {
		b.bypassed(t, l, func() results.Point { return b.loadHERD(5000) }, bothWays, fromA, fromB)
	})
	t.Run("two uplinks", func(t *testing.T) {
		b.run("a", "sysctl", "-qw", "net.ipv4.fib_multipath_hash_policy=1")
		many := func() results.Point {
			return b.loadWith([]string{"mica"}, "--keys", "20000", "--warmup", "100ms",
				"--connections", "16")
		}
		b.bypassed(t, l, many, bothWays[:1], halfOfA)
	})
}

// lossy drops one packet of a hundred before the network, and one after it.
const lossy = `exec nft 'table netdev loss {
	chain out { type filter hook egress device "eth0" priority 0; numgen random mod 100 == 0 drop; }
	chain in { type filter hook ingress device "eth0" priority 0; numgen random mod 100 == 0 drop; }
}'`

// TestNoFalseAlarm: an interface may count many of a wire's packets as one, and a network may lose
// some. Neither counts as another way.
func TestNoFalseAlarm(t *testing.T) {
	for name, c := range map[string]struct {
		offloads, onHosts string
	}{
		"offloads":       {emulate.On, ""},
		"offloads, loss": {emulate.On, lossy},
		"GRO, loss":      {emulate.Off, "ethtool -K eth0 gro on\n" + lossy},
	} {
		t.Run(name, func(t *testing.T) {
			b := newTestbedWith(t, c.offloads)
			for _, host := range []string{"a", "b"} {
				if _, err := b.node(host).Run(t.Context(), step.Shell(c.onHosts)); err != nil {
					t.Skip(err)
				}
			}
			l := b.apply(t, Config{Submode: SM4, Target: Linux, Datapath: "tcx", CPUs: []int{0}})
			// A lost packet holds a connection up for 200 ms and more: half a second of load may
			// pass without an answer, and a few lost ones in a row take seconds.
			with := func(options ...string) func() results.Point {
				options = append(options, "--duration", "3s", "--timeout", "30s")
				return func() results.Point { return b.loadWith([]string{"mica"}, options...) }
			}
			for what, load := range map[string]func() results.Point{
				"small": with("--keys", "200", "--warmup", "100ms", "--batch", "1"),
				"large": with("--keys", "200", "--warmup", "100ms", "--value-bytes", "2000"),
				"HERD":  func() results.Point { return b.loadHERD(200) },
			} {
				was := b.evidence(l)
				p := load()
				proof, err := b.proves(was, l, &p)
				if err != nil || proof.CarriedShare < leastSent {
					t.Errorf("%s: %v", what, err)
				}
				t.Logf("%s: %d operations, %.4f carried; %+v; %+v", what, p.Ops, proof.CarriedShare,
					p.ClientMoved, proof.Crossings)
			}
		})
	}
}
