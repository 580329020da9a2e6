package submode

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"dpukv/placement/submode/packetfilter"
)

// filtering are the datapaths that can do packet work here.
var filtering = []Config{
	{Submode: SM1, Datapath: "ovs-netdev"},
	{Submode: SM2, Datapath: "ovs-dpdk"},
	{Submode: SM3, Datapath: "testpmd"},
	{Submode: SM4, Datapath: "tcx"},
}

// other is an address of a's that no filter's client has.
const other = "198.18.0.200"

// TestFilter: the load of a client passes the rules, and what comes from one that they name is dropped, counted, and no
// doubt about the datapath.
func TestFilter(t *testing.T) {
	needsQuiet(t)
	b := newTestbed(t)
	b.run("a", "ip", "address", "add", other+"/24", "dev", "eth0")
	for _, c := range filtering {
		t.Run(c.Datapath, func(t *testing.T) {
			c.Target, c.CPUs = Linux, []int{0, 1}
			c.Filter.DropClients = []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr(other)}
			l := b.apply(t, c)
			was := b.evidence(l)
			b.load()
			proof, err := Prove(was, b.evidence(l))
			if err != nil || proof.Packets["dropped"] != 0 || proof.Filter != "drop-client:192.0.2.1 drop-client:"+other {
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

// TestCountOpcodes holds the requests that were seen on the path against those that the client says it had answered. How often the client
// sent again before and after its window, when the machine paused, the point does not tell: on a busy machine the path may see any number
// more than these. So none may be missing in any load, and none be too many in one of several.
func TestCountOpcodes(t *testing.T) {
	needsQuiet(t)
	b := newTestbed(t)
	l := b.apply(t, Config{Submode: SM4, Target: Linux, Datapath: "tcx", Filter: packetfilter.Filter{CountOpcodes: true}})
	const loads = 8
	for load := 1; b.countsMore(l) && !t.Failed(); load++ {
		if load == loads {
			t.Fatalf("the path saw too many requests in each of %d loads", loads)
		}
	}
}

// countsMore puts a load on the path, and tells whether more requests were seen there than the client accounts for: each key is set once
// and asked for once before the load, and after it come the answers to what the client still holds, which is what is in flight, and a list
// that waits for it, all of it sent again at most once.
func (b *testbed) countsMore(l *Lease) (more bool) {
	b.t.Helper()
	const keys = 5000
	was := b.evidence(l)
	p := b.loadHERD(keys)
	proof, err := Prove(was, b.evidence(l))
	if err != nil {
		b.t.Fatal(err)
	}
	held := uint64(p.Batch * (p.Window + 1) * p.Connections * p.ClientThreads)
	late := 2*held + p.Retries
	for op, want := range map[string]uint64{"GET": keys + p.Gets, "SET": keys + p.Ops - p.Gets} {
		got := proof.Packets["opcode/"+op]
		if got < want {
			b.t.Errorf("%s: the path saw %d requests, the client %d", op, got, want)
		}
		if got > want+late {
			b.t.Logf("%s: the path saw %d requests, the client %d, and at most %d late ones", op, got, want, late)
			more = true
		}
	}
	b.t.Logf("%d operations, %d GETs, %d sent again: %v", p.Ops, p.Gets, p.Retries, proof.Packets)
	if n := len(proof.Packets); proof.Packets["opcode/Op(0)"] != 0 || proof.Packets["opcode/ADD"] != 0 {
		b.t.Errorf("%d kinds of packets: %v", n, proof.Packets)
	}
	return more
}

// pings sends echo requests from an address of a to b, and returns how many came back.
func (b *testbed) pings(from string, count int) (answered int) {
	b.t.Helper()
	out, _ := b.node("a").Run(context.WithoutCancel(b.t.Context()), // fails where none comes back
		sh(`ping -q -c "$1" -i 0.01 -W 1 -I "$2" "$3" || :`, fmt.Sprint(count), from, b.Address("b")))
	at := strings.Index(out, "transmitted, ")
	if at < 0 {
		b.t.Fatalf("ping said %q", out)
	}
	if _, err := fmt.Sscanf(out[at:], "transmitted, %d received", &answered); err != nil {
		b.t.Fatalf("ping said %q: %v", out, err)
	}
	return answered
}

// TestWhatCannotBeHad is refused with the reason, before any node is asked.
func TestWhatCannotBeHad(t *testing.T) {
	dropping := packetfilter.Filter{DropClients: []netip.Addr{netip.MustParseAddr("192.0.2.1")}}
	counting := packetfilter.Filter{CountOpcodes: true}
	for name, c := range map[string]struct {
		config Config
		want   string
	}{
		"name":           {Config{Submode: "sm6", Target: Linux}, "allowed: off-path, direct, sm1"},
		"target":         {Config{Submode: SM1, Target: "bluefeld"}, "allowed: linux, bluefield"},
		"datapath":       {Config{Submode: SM1, Target: Linux, Datapath: "tcx"}, "allowed on target linux: ovs-system, ovs-netdev, bridge"},
		"one port":       {Config{Submode: SM1, Target: Linux, Ports: Ports{"p0", "p0"}}, "for wire and host"},
		"no port":        {Config{Submode: SM1, Target: Linux, Ports: Ports{"-x", "p0"}}, `found interface "-x"`},
		"CPU":            {Config{Submode: SM2, Target: Linux, CPUs: []int{64}}, "found CPU 64"},
		"direct":         {Config{Submode: Direct, Target: BlueField}, "another cable"},
		"filter, bridge": {Config{Submode: SM1, Target: Linux, Datapath: "bridge", Filter: dropping}, "has no words for that"},
		"filter, direct": {Config{Submode: Direct, Target: Linux, Filter: dropping}, "no DPU on the path"},
		"count, OvS":     {Config{Submode: SM1, Target: Linux, Filter: counting}, "where neither an OpenFlow rule nor flower"},
		"count, testpmd": {Config{Submode: SM3, Target: Linux, Filter: counting}, "no memory to count in"},
		"count, eSwitch": {Config{Submode: SM5, Target: BlueField, Filter: counting}, "where neither an OpenFlow rule nor flower"},
		"count, flower":  {Config{Submode: SM4, Target: Linux, Datapath: "ovs-flower", Filter: counting}, "where neither an OpenFlow rule nor flower"},
		"IPv6":           {Config{Submode: SM3, Target: Linux, Filter: packetfilter.Filter{DropClients: []netip.Addr{netip.IPv6Loopback()}}}, "allowed: IPv4"},
	} {
		if _, err := New(c.config); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}
