package submode

import (
	"context"
	"encoding/json"
	"net/netip"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/placement/submode/journal"
	"dpukv/placement/submode/packetfilter"
	"dpukv/placement/submode/step"
)

func mustNew(t *testing.T, c Config) *Submode {
	t.Helper()
	return must.Get(New(c))(t)
}

// TestWhatCannotBeHad: an impossible submode is refused with the reason, before any node is
// visited.
func TestWhatCannotBeHad(t *testing.T) {
	dropping := packetfilter.Filter{DropClients: []netip.Addr{netip.MustParseAddr("192.0.2.1")}}
	overIPv6 := packetfilter.Filter{DropClients: []netip.Addr{netip.IPv6Loopback()}}
	counting := packetfilter.Filter{CountOpcodes: true}
	for name, c := range map[string]struct {
		config Config
		want   string
	}{
		"name":   {Config{Submode: "sm6", Target: Linux}, "allowed: off-path, off-path-sf, direct, sm1"},
		"target": {Config{Submode: SM1, Target: "bluefeld"}, "allowed: linux, bluefield"},
		"datapath": {
			Config{Submode: SM1, Target: Linux, Datapath: "tcx"},
			"allowed on target linux: ovs-system, ovs-netdev, bridge",
		},
		"one port": {
			Config{Submode: SM1, Target: Linux, Ports: Ports{"p0", "p0"}},
			"for wire and host",
		},
		"no port": {
			Config{Submode: SM1, Target: Linux, Ports: Ports{"-x", "p0"}},
			`found interface "-x"`,
		},
		"CPU":    {Config{Submode: SM2, Target: Linux, CPUs: []int{64}}, "found CPU 64"},
		"direct": {Config{Submode: Direct, Target: BlueField}, "another cable"},
		"filter, bridge": {
			Config{Submode: SM1, Target: Linux, Datapath: "bridge", Filter: dropping},
			"has no words for that",
		},
		"filter, direct": {
			Config{Submode: Direct, Target: Linux, Filter: dropping},
			"no DPU on the path",
		},
		"count, OvS": {
			Config{Submode: SM1, Target: Linux, Filter: counting},
			"where neither an OpenFlow rule nor flower",
		},
		"count, testpmd": {
			Config{Submode: SM3, Target: Linux, Filter: counting},
			"no memory to count in",
		},
		"count, eSwitch": {
			Config{Submode: SM5, Target: BlueField, Filter: counting},
			"where neither an OpenFlow rule nor flower",
		},
		"count, flower": {
			Config{Submode: SM4, Target: Linux, Datapath: "ovs-flower", Filter: counting},
			"where neither an OpenFlow rule nor flower",
		},
		"IPv6": {
			Config{Submode: SM3, Target: Linux, Filter: overIPv6},
			"allowed: IPv4",
		},
	} {
		if _, err := New(c.config); !failsWith(err, c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

// TestAdopt: an applied submode is adopted only if it equals the requested one in every respect.
func TestAdopt(t *testing.T) {
	dropping := func(word string) packetfilter.Filter {
		return must.Get(packetfilter.Parse([]string{word}))(t)
	}
	applied := Config{
		Submode: SM4, Target: Linux, Datapath: "tcx", Filter: dropping("drop-client:192.0.2.1"),
	}.withDefaults()
	about := must.Get(json.Marshal(journal.Header{
		Submode: applied.Submode, Target: applied.Target, Datapath: applied.Datapath,
		Ports: journal.Ports(applied.Ports), Filter: applied.Filter.String(),
	}))(t)
	for name, c := range map[string]struct {
		change func(*Config)
		about  string
		want   string
	}{
		"the same":     {change: func(*Config) {}},
		"any datapath": {change: func(c *Config) { c.Datapath = "" }},
		"another datapath": {
			func(c *Config) { c.Datapath, c.Filter = "tc-u32", packetfilter.Filter{} }, "",
			"found the datapath tcx applied, allowed: tc-u32",
		},
		"another submode": {
			func(c *Config) { c.Submode = SM5 }, "",
			"found sm4 applied, allowed: sm5; dpukv testbed submode apply 5",
		},
		"other ports": {
			func(c *Config) { c.Ports.Host = "eth1" }, "",
			"found it applied between p0 and pf0hpf, allowed: p0 and eth1",
		},
		"no filter": {
			func(c *Config) { c.Filter = packetfilter.Filter{} }, "",
			"found it applied with filter drop-client:192.0.2.1, allowed: none",
		},
		"another filter": {
			func(c *Config) { c.Filter = dropping("drop-client:192.0.2.2") }, "",
			"allowed: drop-client:192.0.2.2",
		},
		"nothing applied": {func(*Config) {}, " ", "found nothing applied, allowed: sm4"},
	} {
		asked := applied
		c.change(&asked)
		if c.about == "" {
			c.about = string(about)
		}
		node := step.Node{Name: "d", Run: func(_ context.Context, argv []string) (string, error) {
			switch argv[0] {
			case "readlink":
				return "net:[4026531840]", nil
			case "ip":
				return `[{"ifname": "lo", "altnames": ["dpukv-0123456789abcdef"]}]`, nil
			}
			return c.about, nil
		}}
		l, err := mustNew(t, asked).Adopt(t.Context(), node)
		if !failsWith(err, c.want) {
			t.Errorf("%s: found %v, want %q", name, err, c.want)
		}
		const described = "tcx (an eBPF redirect in traffic control (tcx)), a substitute"
		if err == nil && !strings.Contains(l.Describe(), described) {
			t.Errorf("%s: %s", name, l.Describe())
		}
	}
}
