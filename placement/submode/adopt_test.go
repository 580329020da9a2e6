package submode

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"dpukv/placement/submode/packetfilter"
)

// TestAdopt: what is applied is taken for what is asked about only if it is that in every respect.
func TestAdopt(t *testing.T) {
	dropping := func(word string) packetfilter.Filter {
		f, err := packetfilter.Parse([]string{word})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	applied := Config{Submode: SM4, Target: Linux, Datapath: "tcx", Filter: dropping("drop-client:192.0.2.1")}.withDefaults()
	about, err := json.Marshal(header{
		Submode: applied.Submode, Target: applied.Target, Datapath: applied.Datapath,
		Ports: applied.Ports, Filter: applied.Filter.String(),
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(*Config)
		about  string
		want   string
	}{
		"the same":         {change: func(*Config) {}},
		"any datapath":     {change: func(c *Config) { c.Datapath = "" }},
		"another datapath": {func(c *Config) { c.Datapath, c.Filter = "tc-u32", packetfilter.Filter{} }, "", "found the datapath tcx applied, allowed: tc-u32"},
		"another submode":  {func(c *Config) { c.Submode = SM5 }, "", "found sm4 applied, allowed: sm5; dpukv submode apply 5"},
		"other ports":      {func(c *Config) { c.Ports.Host = "eth1" }, "", "found it applied between p0 and pf0hpf, allowed: p0 and eth1"},
		"no filter":        {func(c *Config) { c.Filter = packetfilter.Filter{} }, "", "found it applied with filter drop-client:192.0.2.1, allowed: none"},
		"another filter":   {func(c *Config) { c.Filter = dropping("drop-client:192.0.2.2") }, "", "allowed: drop-client:192.0.2.2"},
		"nothing applied":  {func(*Config) {}, " ", "found nothing applied, allowed: sm4"},
	} {
		asked := applied
		c.change(&asked)
		if c.about == "" {
			c.about = string(about)
		}
		node := Node{"d", func(_ context.Context, argv []string) (string, error) {
			switch argv[0] {
			case "readlink":
				return "net:[4026531840]", nil
			case "ip":
				return `[{"ifname": "lo", "altnames": ["dpukv-0123456789abcdef"]}]`, nil
			}
			return c.about, nil
		}}
		l, err := mustNew(t, asked).Adopt(t.Context(), node)
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: found %v, want %q", name, err, c.want)
		}
		if err == nil && !strings.Contains(l.Describe(), "tcx (an eBPF redirect in traffic control (tcx)), a substitute") {
			t.Errorf("%s: %s", name, l.Describe())
		}
	}
}

// TestForwarderCPU: the CPU time of Open vSwitch's processes is the forwarder's only where these forward.
func TestForwarderCPU(t *testing.T) {
	for name, want := range map[string]int64{"ovs-netdev": 30, "ovs-system": 0} {
		s := newSite(&mustNew(t, Config{Submode: SM1, Target: Linux}).cfg, lookup(Linux, SM1, name), "")
		at := func(packets uint64, used int64) *Evidence {
			ports := map[string]uint64{"p0": packets, "pf0hpf": packets}
			return &Evidence{Came: ports, Left: ports, Carried: ports, Processes: map[string]int64{"1@2": used}, site: s}
		}
		proof, err := Prove(at(0, 10), at(100, 40))
		if err != nil || proof.ForwarderCPUNs != want {
			t.Errorf("%s: found %d ns, %v, want %d", name, proof.ForwarderCPUNs, err, want)
		}
	}
}
