package submode

import (
	"strings"
	"testing"
)

// TestEvidenceFails changes the path behind the datapath's back: the load goes on, and the proof must fail.
func TestEvidenceFails(t *testing.T) {
	needsQuiet(t)
	b := newTestbed(t)
	b.run("d", sh(`ip link add name br1 type bridge; ip link set br1 up`)...)
	for _, c := range []struct {
		submode, datapath string
		off               func(*Lease) []string // what takes the datapath off the path
		want              string
	}{
		{SM1, "ovs-netdev", func(l *Lease) []string { return l.vsctl("del-port", bridge, "p0") }, "that it took"},
		// Its sockets see what the redirect takes, too: everything arrives twice.
		{SM1, "ovs-netdev", nil, "something else forwards, too"},
		{SM1, "bridge", nil, "that it took"},
		{SM2, "ovs-dpdk", nil, "something else forwards, too"},
		{SM3, "testpmd", func(l *Lease) []string { return sh(`echo stop >"$1/in"`, l.dir) }, "that it took"},
		{SM4, "tcx", func(l *Lease) []string { return l.redirect("detach", "p0", "pf0hpf") }, "that it took"},
		{SM5, "tc-u32", func(*Lease) []string {
			return sh(`for p in p0 pf0hpf; do tc qdisc del dev $p ingress; done; ip link set p0 master br1; ip link set pf0hpf master br1`)
		}, "that it took"},
	} {
		t.Run(c.submode+"/"+c.datapath+"/"+c.want, func(t *testing.T) {
			l := b.apply(t, Config{Submode: c.submode, Target: Linux, Datapath: c.datapath, CPUs: []int{0, 1}})
			was := b.evidence(l)
			if c.off != nil {
				b.run("d", c.off(l)...)
			}
			t.Cleanup(func() {
				b.t = t
				b.run("d", sh(`for p in p0 pf0hpf; do tc qdisc del dev $p ingress 2>/dev/null || ip link set $p nomaster; done`)...)
			})
			if c.datapath != "tc-u32" {
				b.run("d", sh(otherWay)...)
			}
			b.load()
			proof, err := Prove(was, b.evidence(l))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("found %v, want an error with %q; %+v", err, c.want, proof)
			}
		})
	}
}

// otherWay redirects in the kernel what comes in.
const otherWay = `
for p in "p0 pf0hpf" "pf0hpf p0"; do
	set -- $p
	tc qdisc add dev $1 ingress
	tc filter add dev $1 parent ffff: protocol all u32 match u32 0 0 action mirred egress redirect dev $2
done`

// TestNoPackets: a datapath that is up proves nothing.
func TestNoPackets(t *testing.T) {
	b := newTestbed(t)
	l := b.apply(t, Config{Submode: SM4, Target: Linux, Datapath: "tc-u32"})
	was := b.evidence(l)
	if _, err := Prove(was, b.evidence(l)); err == nil || !strings.Contains(err.Error(), "no packet that came in at p0") {
		t.Errorf("found %v, want an error about packets", err)
	}
}
