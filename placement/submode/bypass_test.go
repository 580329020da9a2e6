package submode

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"dpukv/placement/emulate"
	"dpukv/results"
)

// proves holds the counters against what the client of a load says that it moved in all.
func (b *testbed) proves(was *Evidence, l *Lease, p *results.Point) (*Proof, error) {
	b.t.Helper()
	ends := EndsOf(&p.ClientMoved, new(results.Moved))
	if ends == nil {
		b.t.Fatalf("the client does not know what it moved: %+v", p.ClientMoved)
	}
	return ProveLoad(was, b.evidence(l), ends)
}

// secondCable joins a and b beside the DPU. No route leads there yet.
func (b *testbed) secondCable() {
	b.t.Helper()
	far, err := b.Namespace("b")
	if err != nil {
		b.t.Fatal(err)
	}
	b.run("a", sh(`
ip link add name by0 type veth peer name by1 netns "$1"
ip link set by0 up`, far)...)
	b.run("b", "ip", "link", "set", "by1", "up")
}

// way is a route of a machine that leaves the DPU out, or not all of it.
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

// bypassed has some packets pass the datapath and then, by another way, a load. The proof must fail
// in the directions that took it, and the share must be told.
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

// TestBypass: a second cable between the hosts, with a route that was added when some packets had
// crossed the DPU. It forwards all that comes to it, and what does not come is missed.
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

// TestNoFalseAlarm: packets that an interface counts as one though they are many on a wire, and a
// network that loses some, are no other way.
func TestNoFalseAlarm(t *testing.T) {
	needsQuiet(t)
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
				if _, err := b.node(host).Run(t.Context(), sh(c.onHosts)); err != nil {
					t.Skip(err)
				}
			}
			l := b.apply(t, Config{Submode: SM4, Target: Linux, Datapath: "tcx", CPUs: []int{0}})
			with := func(options ...string) func() results.Point {
				return func() results.Point { return b.loadWith([]string{"mica"}, options...) }
			}
			for what, load := range map[string]func() results.Point{
				"small": with("--keys", "200", "--warmup", "100ms", "--batch", "1"),
				"large": with("--keys", "200", "--warmup", "100ms", "--value-size", "2000"),
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
