package testbed

import (
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/internal/test/testbeds"
	"dpukv/placement/launch"
)

func parsedBed(t *testing.T, text string) Testbed {
	t.Helper()
	return must.Get(Parse("t.yaml", []byte(text)))(t)
}

// TestPlacementsAreTheStudys compares the placements with Table 2 and Figure 7a.
func TestPlacementsAreTheStudys(t *testing.T) {
	bed := parsedBed(t, testbeds.FourMachines)
	for name, want := range map[string]string{
		"CH-SH":    "hostB hostA",
		"CD-SH":    "hostB dpuA",
		"CDH-SH":   "hostB hostA dpuA",
		"CH-SD":    "dpuB hostA",
		"CD-SD":    "dpuB dpuA",
		"L-CD-SH":  "hostB dpuB",
		"HOSTS-SD": "dpuB hostA hostB",
	} {
		c := must.Get(bed.Assign(name))(t)
		var got []string
		for _, n := range c.All() {
			got = append(got, n.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s runs on %v (server first), want %s", name, got, want)
		}
	}
}

// names lists the nodes: what clients connect to, the client, the store half and the proxy.
func names(c *Assignment) string {
	var list []string
	for _, n := range []*Node{&c.Server, &c.Clients[0], c.Store, c.Proxy} {
		if n == nil {
			n = &Node{Node: launch.Node{Name: "none"}}
		}
		list = append(list, n.Name)
	}
	return strings.Join(list, ", ")
}

// TestPlacementsOfHalves: the engine runs on the DPU of the store's host, and the proxy on that of
// the client's.
func TestPlacementsOfHalves(t *testing.T) {
	bed := parsedBed(t, testbeds.FourMachines+
		"  BACK: {clients: [dpuA], proxy: hostA, server: hostB, store: dpuB}\n")
	for name, want := range map[string]string{
		"CH-ED-SH":    "dpuB, hostA, hostB, none",
		"CH-PD-SH":    "hostB, hostA, none, dpuA",
		"CH-PD-ED-SH": "dpuB, hostA, hostB, dpuA",
		"CH-EH-SD":    "hostB, hostA, dpuB, none",
		"BACK":        "hostB, dpuA, dpuB, hostA",
	} {
		c := must.Get(bed.Assign(name))(t)
		if got := names(&c); got != want || !c.Split() {
			t.Errorf("%s runs as %s, want %s", name, got, want)
		}
	}
	again := parsedBed(t, string(bed.Marshal()))
	for _, own := range []string{"BACK", "HOSTS-SD"} {
		was, _ := bed.Assign(own)
		if is, err := again.Assign(own); err != nil || names(&is) != names(&was) {
			t.Errorf("%s, written and read, runs as %s (%v), want %s", own, names(&is), err, names(&was))
		}
	}
}

// TestHalvesNeedTheirDPU: a DPU of another host plays no half.
func TestHalvesNeedTheirDPU(t *testing.T) {
	bed := parsedBed(t, "nodes:\n  hostA: {via: netns}\n  hostB: {via: netns}\n  hostC: {via: netns}\n"+
		"  dpuC: {kind: dpu, of: hostC, via: netns, profile: bf2}\n"+
		"client_side: [hostA, dpuC]\nserver_side: [hostB, dpuC]\n")
	for name, want := range map[string]string{
		"CH-ED-SH": "CH-ED-SH runs the engine on the DPU in the host hostB, and server_side of testbed t.yaml has " +
			"none (only hostB, dpuC)",
		"CH-EH-SD": "CH-EH-SD runs the store half on the DPU in the host hostB, and server_side of testbed t.yaml",
		"CH-PD-SH": "CH-PD-SH runs the proxy on the DPU in the host hostA, and client_side of testbed t.yaml has " +
			"none (only hostA, dpuC)",
		"CH-PD-ED-SH": "CH-PD-ED-SH runs the engine on the DPU in the host hostB",
	} {
		if _, err := bed.Assign(name); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: found %v, want %s", name, err, want)
		}
	}
}

// TestOwnPlacementsRefused has placements that a testbed file may not have.
func TestOwnPlacementsRefused(t *testing.T) {
	for own, want := range map[string]string{
		"CH-ED-SH: {clients: [hostA], server: hostB}": "placements: found CH-ED-SH, allowed: a name " +
			"that is not dpukv's",
		"MY: {clients: [hostA, dpuA], server: hostB, proxy: dpuA}": "placement MY: found a proxy and 2 clients, " +
			"allowed: one client",
		"MY: {clients: [hostA], server: hostB, store: dpuX}": "placement MY: found dpuX, allowed: the nodes (hostA, ",
		"MY: {clients: [hostA], server: hostB, proxy: dpuX}": "placement MY: found dpuX, allowed: the nodes (hostA, ",
	} {
		_, err := Parse("t.yaml", []byte(testbeds.FourMachines+"  "+own+"\n"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: found %v, want %s", own, err, want)
		}
	}
}

// TestMaySplit: sweeps get placements of halves only by name. One of a testbed's own may be one.
func TestMaySplit(t *testing.T) {
	for name, want := range map[string][3]bool{
		"CH-SH":       {},
		"L-CD-SH":     {},
		"CH-ED-SH":    {true, true, false},
		"CH-PD-SH":    {true, false, true},
		"CH-PD-ED-SH": {true, true, true},
		"CH-EH-SD":    {true, true, false},
		"MY":          {false, true, true},
	} {
		engine, proxy := MaySplit(name)
		if got := [3]bool{OnlyByName(name), engine, proxy}; got != want {
			t.Errorf("%s: found %v (only by name, an engine, a proxy), want %v", name, got, want)
		}
		engine, proxy = MustSplit(name)
		if got := [3]bool{want[0], engine, proxy}; want[0] && got != want || !want[0] && (engine || proxy) {
			t.Errorf("%s: found %v for what it has in any case, want %v", name, got, want)
		}
	}
}
