package submode

import (
	"net/netip"
	"strings"
	"testing"
)

// TestFilter: the load of a client passes the rules, and what comes from one that they name is dropped, counted, and no
// doubt about the datapath.
func TestFilter(t *testing.T) {
	needsQuiet(t)
	b := newTestbed(t)
	const other = "198.18.0.200"
	b.run("a", "ip", "address", "add", other+"/24", "dev", "eth0")
	for _, c := range []Config{
		{Submode: SM1, Datapath: "ovs-netdev"}, {Submode: SM2, Datapath: "ovs-dpdk"}, {Submode: SM4, Datapath: "tcx"},
	} {
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
			was = b.evidence(l)
			b.load()
			b.run("a", sh(`
ip route replace 198.18.0.0/24 dev eth0 src "$1"
timeout 2 "$2" load --server "$3:9" --keys 10 --duration 100ms >/dev/null 2>&1 || :
ip route replace 198.18.0.0/24 dev eth0 src "$4"`, other, b.binary, b.Address("b"), b.Address("a"))...)
			proof, err = Prove(was, b.evidence(l))
			if err != nil || proof.Packets["dropped"] == 0 {
				t.Errorf("%v; %+v", err, proof)
			}
		})
	}
}

// TestWhatCannotBeHad is refused with the reason, before any node is asked.
func TestWhatCannotBeHad(t *testing.T) {
	dropping := Filter{DropClients: []netip.Addr{netip.MustParseAddr("192.0.2.1")}}
	for name, c := range map[string]struct {
		config Config
		want   string
	}{
		"name":            {Config{Submode: "sm6", Target: Linux}, "allowed: off-path, direct, sm1"},
		"target":          {Config{Submode: SM1, Target: "bluefeld"}, "allowed: linux, bluefield"},
		"datapath":        {Config{Submode: SM1, Target: Linux, Datapath: "tcx"}, "allowed on target linux: ovs-system, ovs-netdev, bridge"},
		"one port":        {Config{Submode: SM1, Target: Linux, Ports: Ports{"p0", "p0"}}, "for wire and host"},
		"no port":         {Config{Submode: SM1, Target: Linux, Ports: Ports{"-x", "p0"}}, `found interface "-x"`},
		"CPU":             {Config{Submode: SM2, Target: Linux, CPUs: []int{64}}, "found CPU 64"},
		"direct":          {Config{Submode: Direct, Target: BlueField}, "another cable"},
		"filter, testpmd": {Config{Submode: SM3, Target: Linux, Filter: dropping}, "forwards without a look at the packets"},
		"filter, bridge":  {Config{Submode: SM1, Target: Linux, Datapath: "bridge", Filter: dropping}, "has no words for it"},
		"filter, direct":  {Config{Submode: Direct, Target: Linux, Filter: dropping}, "no DPU on the path"},
	} {
		if _, err := New(c.config); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	for word, want := range map[string]string{
		"drop-key-hash:0": "a TCP stream", "count-opcode:get": "a TCP stream", "drop-client:x": "an IPv4 address", "drop-client:::1": "an IPv4 address", "drop": "allowed: none",
	} {
		if _, err := ParseFilter([]string{word}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", word, err, want)
		}
	}
	for _, text := range []string{"drop-client:192.0.2.1-192.0.2.9", "drop-client:192.0.2.1 drop-client:10.0.0.9-10.0.1.9", "drop-client:255.255.255.255"} {
		f, err := ParseFilter(strings.Fields(text))
		if err != nil || f.String() != text {
			t.Errorf("%s became %s, %v", text, f, err)
		}
	}
	for _, text := range []string{"drop-client:192.0.2.9-192.0.2.1", "drop-client:10.0.0.0-10.255.255.255"} {
		if _, err := ParseFilter([]string{text}); err == nil {
			t.Errorf("%s was taken", text)
		}
	}
	if f, err := ParseFilter([]string{"none"}); err != nil || !f.none() {
		t.Error(f, err)
	}
}
