package submode

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dpukv/internal/test/must"
	"dpukv/placement/submode/step"
)

// TestDatapaths runs every datapath of plain Linux. Each must carry pings and the MICA load with
// proof, notice a load that bypasses it, and leave everything as before.
func TestDatapaths(t *testing.T) {
	b := newTestbed(t)
	b.secondCable()
	for _, name := range []string{SM1, SM2, SM3, SM4} {
		for _, d := range Datapaths(Linux, name) {
			t.Run(name+"/"+d, func(t *testing.T) {
				b.carries(t, Config{Submode: name, Target: Linux, Datapath: d, CPUs: []int{0, 1}})
			})
		}
	}
}

// apply skips the test where the node lacks something for the datapath.
func (b *testbed) apply(t *testing.T, c Config) *Lease {
	t.Helper()
	b.t = t
	c.Binary, c.MaxSleep = b.binary, 100*time.Microsecond // to leave CPU to other tests
	l, err := mustNew(t, c).Apply(t.Context(), b.node("d"))
	required := strings.Fields(os.Getenv("SUBMODE_REQUIRE"))
	if errors.Is(err, ErrMissing) && !slices.Contains(required, c.Datapath) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { must.Do(t, l.Undo(t.Context())) })
	return l
}

func (b *testbed) evidence(l *Lease) *Evidence {
	b.t.Helper()
	return must.Get(l.Evidence(b.t.Context()))(b.t)
}

func (b *testbed) carries(t *testing.T, c Config) {
	b.t = t
	before := b.snapshot()
	l := b.apply(t, c)
	if b.snapshot() == before {
		t.Error("the snapshot sees nothing of what was set up")
	}
	// The pings make the flow known. While client and server poll on the guest's one CPU, Open
	// vSwitch is slow to install it.
	b.run("a", "ping", "-q", "-c", "3", "-i", "0.2", b.Address("b"))
	was := b.evidence(l)
	p := b.load()
	proof, err := b.proves(was, l, &p)
	if err != nil {
		t.Error(err)
	}
	t.Logf("%.2f Mops, p50 %d µs; %s; %s; %.4f of the packets carried, %d ms of CPU; %v",
		p.ThroughputOps/1e6, p.P50Ns/1000, proof.Is, proof.Substitute,
		proof.CarriedShare, proof.ForwarderCPUNs/1e6, proof.Packets)
	t.Logf("%+v", proof.Crossings)
	b.bypassed(t, l, b.load, bothWays, fromA, fromB)
	b.undone(t, l.Undo(t.Context()), before)
}

func difference(before, after string) string {
	var lines []string
	for line := range strings.Lines(after) {
		if !strings.Contains(before, line) {
			lines = append(lines, "+"+line)
		}
	}
	for line := range strings.Lines(before) {
		if !strings.Contains(after, line) {
			lines = append(lines, "-"+line)
		}
	}
	return strings.Join(lines, "")
}

// detour changes the path without the datapath's knowledge, so that something else forwards.
type detour struct {
	name string
	off  func(*Lease) []string // what takes the datapath off the path; nil: nothing
	way  []string              // a command on the DPU, for another way; nil: there is one
	want []string              // in the error after a load, and after another
}

// Parts of a proof's error.
const (
	notTaken  = "that it took"
	twice     = "something else forwards, too"
	elsewhere = "on a way that should not be taken"
	restarted = "it was restarted in between"
)

// detours are ways to make the evidence of a datapath of plain Linux fail. The first ones leave the
// datapath as it is. The test file of a datapath adds its own.
var detours = map[*datapath][]detour{}

// counters are the outputs of a card's programs at two moments. Between them, 10000 packets came in
// at each port.
type counters struct {
	name          string
	before, after [][2]string // answers, see card
	want          string      // in the error; "": the datapath carried the packets
}

// cardCounters are ways to make the evidence of a BlueField's datapath fail.
var cardCounters = map[*datapath][]counters{}

// TestDatapathsFail: each on-path row has a way in which its proof fails.
func TestDatapathsFail(t *testing.T) {
	for _, d := range datapaths {
		fails := len(detours[d])
		for _, c := range cardCounters[d] {
			if c.want != "" {
				fails++
			}
		}
		if OnPath(d.submodes[0]) != (fails > 0) {
			t.Errorf("%s on %s: found %d ways in which its evidence fails, want one at least on the path",
				d.name, d.target, fails)
		}
		if d.target == BlueField && len(detours[d]) > 0 {
			t.Errorf("%s: found a detour, which only plain Linux has", d.name)
		}
	}
}

// TestEvidenceFails takes each detour during a load, and expects the proof to fail.
func TestEvidenceFails(t *testing.T) {
	b := newTestbed(t)
	b.run("d", step.Shell(`ip link add name br1 type bridge; ip link set br1 up`)...)
	for _, d := range datapaths {
		if len(detours[d]) == 0 {
			continue
		}
		submode := d.submodes[0]
		t.Run(submode+"/"+d.name, func(t *testing.T) {
			l := b.apply(t, Config{
				Submode: submode, Target: Linux, Datapath: d.name, CPUs: []int{0, 1},
			})
			t.Cleanup(func() {
				b.t = t
				b.run("d", step.Shell(`
for p in p0 pf0hpf; do tc qdisc del dev $p ingress 2>/dev/null || :; done`)...)
			})
			for _, way := range detours[d] {
				t.Run(way.name, func(t *testing.T) { b.carriesBy(t, l, &way) })
			}
		})
	}
}

func (b *testbed) carriesBy(t *testing.T, l *Lease, d *detour) {
	b.t = t
	was := b.evidence(l)
	t.Cleanup(func() {
		b.t = t
		b.run("d", straighten...)
	})
	if d.off != nil {
		b.run("d", d.off(l)...)
	}
	if d.way != nil {
		b.run("d", d.way...)
	}
	for _, want := range d.want {
		b.load()
		is := b.evidence(l)
		proof, err := Prove(was, is)
		if !failsWith(err, want) {
			t.Errorf("found %v, want an error with %q; %+v", err, want, proof)
		}
		t.Log(err)
		was = is
	}
}

// redirecting takes incoming packets before the kernel passes them on; mirroring takes a copy.
var (
	redirecting = between("egress redirect", "")
	mirroring   = between("egress mirror", "continue")
	otherBridge = step.Shell(`
for p in p0 pf0hpf; do ip link set $p nomaster; ip link set $p master br1; done`)
)

func between(action, then string) []string {
	return step.Shell(`
for p in "p0 pf0hpf" "pf0hpf p0"; do
	set -- "$1" "$2" $p
	tc qdisc add dev $3 ingress 2>/dev/null || :
	tc filter add dev $3 parent ffff: pref 1 protocol all u32 match u32 0 0 action mirred $1 dev $4 $2
done`, action, then)
}

func xdpOff(*Lease) []string {
	return step.Shell(`for p in p0 pf0hpf; do ip link set dev $p xdp off; done`)
}

// straighten removes any other forwarder.
var straighten = step.Shell(`
for p in p0 pf0hpf; do
	tc filter del dev $p ingress pref 1 2>/dev/null || :
	case $(ip link show dev $p) in *" master br1 "*) ip link set $p nomaster ;; esac
done`)

// TestCardEvidence answers like a card's programs, since no card is at hand.
func TestCardEvidence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, d := range datapaths {
			for _, c := range cardCounters[d] {
				before := cardEvidence(t, d, traffic{came: 1000}, c.before)
				after := cardEvidence(t, d, traffic{came: 11000}, c.after)
				if _, err := Prove(before, after); !failsWith(err, c.want) {
					t.Errorf("%s, %s: found %v, want %q", d.name, c.name, err, c.want)
				}
			}
		}
	})
}

// cardEvidence reads the counters of a card with some answers, and by default with those of a
// traffic.
func cardEvidence(t *testing.T, d *datapath, all traffic, answers [][2]string) *Evidence {
	t.Helper()
	stat := [2]string{"/proc/", "7 (forwarder) S 1 7 7 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 99 0"}
	fake := &fakeCard{answers: append(append(slices.Clone(answers), stat), all.says()...)}
	s := mustNew(t, Config{Submode: d.submodes[0], Target: BlueField})
	l := &Lease{setup: s.setup(d, "/x"), node: fake.node()}
	return must.Get(l.Evidence(t.Context()))(t)
}

// filtering are the datapaths that can do packet work on this machine.
var filtering = []Config{
	{Submode: SM1, Datapath: "ovs-netdev"},
	{Submode: SM2, Datapath: "ovs-dpdk"},
	{Submode: SM3, Datapath: "testpmd"},
	{Submode: SM4, Datapath: "tcx"},
}

// other is an address of a that no filter names.
const other = "198.18.0.200"

// TestFilter: a client's load passes the rules. Packets from a filtered address are dropped and
// counted, and cause no warning about the datapath.
func TestFilter(t *testing.T) {
	b := newTestbed(t)
	b.run("a", "ip", "address", "add", other+"/24", "dev", "eth0")
	for _, c := range filtering {
		t.Run(c.Datapath, func(t *testing.T) {
			c.Target, c.CPUs = Linux, []int{0, 1}
			c.Filter.DropClients = []netip.Addr{
				netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr(other),
			}
			l := b.apply(t, c)
			was := b.evidence(l)
			b.load()
			proof, err := Prove(was, b.evidence(l))
			if err != nil || proof.Packets["dropped"] != 0 ||
				proof.Filter != "drop-client:192.0.2.1 drop-client:"+other {
				t.Errorf("%v; %+v", err, proof)
			}
			const sent = 40
			was = b.evidence(l)
			if n := b.pings(b.Address("a"), sent); n != sent {
				t.Errorf("%d of %d packets of a client that no rule names came back", n, sent)
			}
			if n := b.pings(other, sent); n != 0 {
				t.Errorf("%d packets of a client that is to be dropped came back", n)
			}
			proof, err = Prove(was, b.evidence(l))
			if err != nil || proof.Packets["dropped"] != sent {
				t.Errorf("want %d packets dropped: %v; %+v", sent, err, proof)
			}
			t.Logf("%s: %v", proof.Is, proof.Packets)
		})
	}
}

// pings sends echo requests from an address of a to b, and returns the number of replies.
func (b *testbed) pings(from string, count int) (answered int) {
	b.t.Helper()
	out, _ := b.node("a").Run(context.WithoutCancel(b.t.Context()), // fails where none comes back
		step.Shell(`ping -q -c "$1" -i 0.01 -W 1 -I "$2" "$3" || :`, fmt.Sprint(count), from, b.Address("b")))
	at := strings.Index(out, "transmitted, ")
	if at < 0 {
		b.t.Fatalf("ping said %q", out)
	}
	if _, err := fmt.Sscanf(out[at:], "transmitted, %d received", &answered); err != nil {
		b.t.Fatalf("ping said %q: %v", out, err)
	}
	return answered
}
