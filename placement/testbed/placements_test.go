package testbed

import (
	"strings"
	"testing"

	"dpukv/internal/test/testbeds"
)

func parsedBed(t *testing.T, text string) Testbed {
	t.Helper()
	bed, err := Parse("t.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return bed
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
		c, err := bed.Assign(name)
		if err != nil {
			t.Error(err)
			continue
		}
		var got []string
		for _, n := range c.All() {
			got = append(got, n.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s runs on %v (server first), want %s", name, got, want)
		}
	}
}

// TestHalvesHaveNodes: each part of a request runs on the node of its letter. The DPUs are those of
// the hosts of the other halves. Own placements name any nodes.
func TestHalvesHaveNodes(t *testing.T) {
	bed := parsedBed(t, testbeds.FourMachines+`  OWN: {clients: [hostA], proxy: dpuB, server: dpuA, store: hostB}
`)
	for name, want := range map[string]string{
		"CH-ED-SH": "engine dpuB, client hostA, store half hostB; hostA→dpuB dpuB→hostB",
		"CH-PD-SH": "server hostB, client hostA, proxy dpuA; hostA→hostB hostA→dpuA dpuA→hostB",
		"CH-PD-ED-SH": "engine dpuB, client hostA, store half hostB, proxy dpuA; " +
			"hostA→dpuB dpuB→hostB hostA→dpuA dpuA→dpuB",
		"CH-EH-SD": "engine hostB, client hostA, store half dpuB; hostA→hostB hostB→dpuB",
		"OWN": "engine dpuA, client hostA, store half hostB, proxy dpuB; " +
			"hostA→dpuA dpuA→hostB hostA→dpuB dpuB→dpuA",
	} {
		c, err := bed.Assign(name)
		if err != nil {
			t.Error(err)
			continue
		}
		var roles, ways []string
		for i, n := range c.All() {
			roles = append(roles, c.Role(i)+" "+n.Name)
		}
		for _, way := range c.Ways() {
			ways = append(ways, way[0].Name+"→"+way[1].Name)
		}
		if got := strings.Join(roles, ", ") + "; " + strings.Join(ways, " "); got != want {
			t.Errorf("%s runs on\n  %s, want\n  %s", name, got, want)
		}
	}
	again := parsedBed(t, string(bed.Marshal()))
	if c, err := again.Assign("OWN"); err != nil || c.Store.Name != "hostB" || c.Proxy.Name != "dpuB" {
		t.Errorf("the text of the testbed gives %+v, %v", c, err)
	}
}

// TestHalvesWithoutNodes: a host whose DPU is missing has no placement with a half on it. A DPU in
// another host does not replace it.
func TestHalvesWithoutNodes(t *testing.T) {
	const hosts = "client_side: [hostA, dpuA]\nserver_side: [hostB, dpuB]\nnodes:\n  hostA: {via: netns}\n" +
		"  hostB: {via: netns}\n  dpuA: {kind: dpu, generation: bf2, of: hostA, via: netns}\n"
	elsewhere := parsedBed(t, hosts+
		"  hostC: {via: netns}\n  dpuB: {kind: dpu, generation: bf2, of: hostC, via: netns}\n")
	for name, want := range map[string]string{
		"CH-ED-SH":    "CH-ED-SH runs the engine on the DPU in the host hostB, and server_side of testbed t.yaml has none",
		"CH-EH-SD":    "CH-EH-SD runs the store half on the DPU in the host hostB",
		"CH-PD-ED-SH": "CH-PD-ED-SH runs the engine on the DPU in the host hostB",
		"CH-PD-SH":    "",
	} {
		if _, err := elsewhere.Assign(name); (err == nil) != (want == "") ||
			err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: found %v, want %q", name, err, want)
		}
	}
	for own, want := range map[string]string{
		"{clients: [hostA], server: hostB, store: dpuC}":        "placement X: found dpuC, allowed: the nodes",
		"{clients: [hostA], server: hostB, proxy: nowhere}":     "placement X: found nowhere, allowed: the nodes",
		"{clients: [hostA, dpuA], server: hostB, proxy: hostB}": "found a proxy and 2 clients, allowed: one client",
		"{clients: [hostA], server: hostB, engine: hostA}":      "engine",
	} {
		_, err := Parse("t.yaml", []byte(testbeds.FourMachines+"  X: "+own+"\n"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: found %v, want %q", own, err, want)
		}
	}
	_, err := Parse("t.yaml", []byte(testbeds.FourMachines+"  CH-PD-SH: {clients: [hostA], server: hostB}\n"))
	if err == nil || !strings.Contains(err.Error(), "found CH-PD-SH, allowed: a name that is not dpukv's") {
		t.Errorf("a placement with a name of dpukv: %v", err)
	}
}
