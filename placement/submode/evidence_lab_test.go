package submode

import (
	"strings"
	"testing"
)

// detour changes the path behind a datapath's back, so that something else forwards.
type detour struct {
	name string
	off  func(*Lease) []string // what takes the datapath off the path; nil: nothing
	way  []string              // a command on the DPU, for another way; nil: there is one
	want []string              // in the error after a load, and after another
}

// What the proof says.
const (
	notTaken  = "that it took"
	twice     = "something else forwards, too"
	elsewhere = "on a way that should not be taken"
	restarted = "it was restarted in between"
)

// detours, of each datapath those first that leave it as it is.
var detours = []struct {
	submode, datapath string
	detours           []detour
}{
	{SM1, "ovs-netdev", []detour{
		{"redirect beneath", nil, redirecting, []string{twice}}, // its sockets see what the redirect takes, too
		{"port removed", func(l *Lease) []string { return l.vsctl("del-port", bridge, "p0") }, redirecting, []string{notTaken}},
	}},
	{SM1, "ovs-system", []detour{
		{"redirect beneath", nil, redirecting, []string{notTaken}},
		{"mirror beneath", nil, mirroring, []string{twice}},
		{"ports removed", removePorts, otherBridge, []string{notTaken}},
	}},
	{SM1, "bridge", []detour{
		{"redirect beneath", nil, redirecting, []string{notTaken}},
		{"ports moved", nil, otherBridge, []string{notTaken}},
	}},
	{SM2, "ovs-dpdk", []detour{{"redirect beneath", nil, redirecting, []string{twice}}}},
	{SM2, "ovs-dpdk-xdp", []detour{{"program removed", xdpOff, redirecting, []string{notTaken}}}},
	{SM3, "testpmd", []detour{{"stopped", func(l *Lease) []string { return sh(`echo stop >"$1/in"`, l.dir) }, redirecting, []string{notTaken}}}},
	{SM3, "testpmd-xdp", []detour{{"program removed", xdpOff, redirecting, []string{notTaken}}}},
	{SM4, "tcx", []detour{{"detached", func(l *Lease) []string { return l.redirect("detach", "p0", "pf0hpf") }, redirecting, []string{notTaken}}}},
	{SM4, "ovs-flower", []detour{
		{"redirect beneath", nil, redirecting, []string{notTaken}},
		{"mirror beneath", nil, mirroring, []string{twice}},
		{"without hw-offload", withoutOffload, nil, []string{restarted, elsewhere}},
	}},
	{SM5, "tc-u32", []detour{{"rules removed", noRules, otherBridge, []string{notTaken}}}},
}

// TestEvidenceFails: the load goes on, and the proof must fail.
func TestEvidenceFails(t *testing.T) {
	needsQuiet(t)
	b := newTestbed(t)
	b.run("d", sh(`ip link add name br1 type bridge; ip link set br1 up`)...)
	for _, c := range detours {
		t.Run(c.submode+"/"+c.datapath, func(t *testing.T) {
			l := b.apply(t, Config{Submode: c.submode, Target: Linux, Datapath: c.datapath, CPUs: []int{0, 1}})
			t.Cleanup(func() {
				b.t = t
				b.run("d", sh(`for p in p0 pf0hpf; do tc qdisc del dev $p ingress 2>/dev/null || :; done`)...)
			})
			for _, d := range c.detours {
				t.Run(d.name, func(t *testing.T) { b.takes(t, l, &d) })
			}
		})
	}
}

func (b *testbed) takes(t *testing.T, l *Lease, d *detour) {
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
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("found %v, want an error with %q; %+v", err, want, proof)
		}
		t.Log(err)
		was = is
	}
}

// redirecting takes what comes in before the kernel hands it on, mirroring takes a copy.
var (
	redirecting = between("egress redirect", "")
	mirroring   = between("egress mirror", "continue")
	otherBridge = sh(`for p in p0 pf0hpf; do ip link set $p nomaster; ip link set $p master br1; done`)
)

func between(action, then string) []string {
	return sh(`
for p in "p0 pf0hpf" "pf0hpf p0"; do
	set -- "$1" "$2" $p
	tc qdisc add dev $3 ingress 2>/dev/null || :
	tc filter add dev $3 parent ffff: pref 1 protocol all u32 match u32 0 0 action mirred $1 dev $4 $2
done`, action, then)
}

func removePorts(l *Lease) []string {
	return l.vsctl("del-port", bridge, "p0", "--", "del-port", bridge, "pf0hpf")
}

func xdpOff(*Lease) []string { return sh(`for p in p0 pf0hpf; do ip link set dev $p xdp off; done`) }

func noRules(*Lease) []string { return sh(`for p in p0 pf0hpf; do tc qdisc del dev $p ingress; done`) }

// withoutOffload starts the switch anew, as it reads hw-offload only then.
func withoutOffload(l *Lease) []string {
	return sh(`
set -eu
ovs-vsctl --db="unix:$1/db.sock" --no-wait set Open_vSwitch . other_config:hw-offload=false
pid=$(cat "$1/ovs-vswitchd.pid")
again=$(tr '\0' ' ' <"/proc/$pid/cmdline")
kill "$pid"
while test -d "/proc/$pid"; do sleep 0.1; done
OVS_RUNDIR=$1 $again`, l.dir)
}

// straighten removes what else forwards.
var straighten = sh(`
for p in p0 pf0hpf; do
	tc filter del dev $p ingress pref 1 2>/dev/null || :
	case $(ip link show dev $p) in *" master br1 "*) ip link set $p nomaster ;; esac
done`)

// TestNoPackets: a datapath that is up proves nothing.
func TestNoPackets(t *testing.T) {
	b := newTestbed(t)
	l := b.apply(t, Config{Submode: SM4, Target: Linux, Datapath: "tc-u32"})
	was := b.evidence(l)
	if _, err := Prove(was, b.evidence(l)); err == nil || !strings.Contains(err.Error(), "no packet that came in at p0") {
		t.Errorf("found %v, want an error about packets", err)
	}
}
