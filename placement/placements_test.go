package placement

import (
	"os"
	"strings"
	"testing"
)

const fourMachines = `nodes:
  hostA: {via: netns}
  dpuA: {kind: dpu, of: hostA, via: netns, profile: bf2}
  hostB: {via: netns}
  dpuB: {kind: dpu, of: hostB, via: netns, generation: bf3}
client_side: [dpuA, hostA]
server_side: [dpuB, hostB]
placements:
  HOSTS-SD: {clients: [hostA, hostB], server: dpuB}
`

func parsedBed(t *testing.T, text string) Testbed {
	t.Helper()
	bed, err := ParseTestbed("t.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return bed
}

// TestPlacementsAreTheStudys: Table 2 and Figure 7a.
func TestPlacementsAreTheStudys(t *testing.T) {
	bed := parsedBed(t, fourMachines)
	for name, want := range map[string]string{
		"CH-SH":    "hostB hostA",
		"CD-SH":    "hostB dpuA",
		"CDH-SH":   "hostB hostA dpuA",
		"CH-SD":    "dpuB hostA",
		"CD-SD":    "dpuB dpuA",
		"L-CD-SH":  "hostB dpuB",
		"HOSTS-SD": "dpuB hostA hostB",
	} {
		c, err := bed.cast(name)
		if err != nil {
			t.Error(err)
			continue
		}
		var got []string
		for _, n := range c.all() {
			got = append(got, n.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s runs on %v (server first), want %s", name, got, want)
		}
	}
}

func TestMachinesThatAreMade(t *testing.T) {
	bed := parsedBed(t, fourMachines)
	if got := bed.lab(peers); len(got.Machines) != 4 || got.Machines[3].Profile != "bf3" || got.Machines[0].Profile != "none" || got.Machines[1].Of != "hostA" {
		t.Errorf("the lab is %+v", got)
	}
	if got, want := bed.emulated(), "network namespaces of one machine, hostA unmodelled, dpuA as bf2, hostB unmodelled, dpuB as bf3"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if n := bed.node("dpuA"); n.Generation != "bf2" {
		t.Errorf("a machine modelled as bf2 is of generation %q", n.Generation)
	}
	local := Local()
	if local.emulated() != "" || len(local.lab(peers).Machines) != 0 {
		t.Error("this machine is taken for an emulated one")
	}
}

// TestDevices: shared memory is for processes of one machine only, and software is never a substitute for a NIC.
func TestDevices(t *testing.T) {
	const a, b = "client_side: a\nserver_side: b\nnodes:\n  a: ", "\n  b: "
	for _, test := range []struct{ name, bed, want string }{
		{"one machine", a + "{kind: host}" + b + "{kind: host}\n", "shm shm"},
		{"one machine, on the wish", a + "{rdma: {device: softroce}, address: 127.0.0.2}" + b + "{rdma: {device: 'softroce:127.0.0.1'}}\n", "softroce:127.0.0.1 softroce:127.0.0.2"},
		{"made machines", a + "{via: netns}" + b + "{via: netns}\n", "softroce:ITS-ADDRESS softroce:ITS-ADDRESS"},
		{"the user's namespace", a + "{via: netns, namespace: x, address: 10.0.0.1}" + b + "{address: 10.0.0.2}\n", "softroce:10.0.0.2 softroce:10.0.0.1"},
		{"NICs", a + "{via: ssh, address: h, rdma: {device: mlx5_0}}" + b + "{rdma: {device: 'ibverbs:mlx5_1'}, address: 10.0.0.2}\n", "ibverbs:mlx5_1 ibverbs:mlx5_0"},
		{"another machine", a + "{via: ssh, address: h}" + b + "{address: 10.0.0.2}\n", "node b: found no rdma device"},
		{"shm across machines", a + "{via: netns}" + b + "{via: netns, rdma: {device: shm}}\n", "node b: found rdma: {device: shm}, allowed: between nodes that are via: local"},
		{"a NIC and software", a + "{via: ssh, address: 10.0.0.1, rdma: {device: softroce}}" + b + "{address: 10.0.0.2, rdma: {device: mlx5_0}}\n", "t.yaml:4:3: node a: found the rdma device softroce:10.0.0.1, and b has ibverbs"},
		{"software on a name", a + "{via: ssh, address: h, rdma: {device: softroce}}" + b + "{address: 10.0.0.2, rdma: {device: softroce}}\n", "t.yaml:4:3: node a: found the address h, allowed: for softroce an IPv4 address"},
	} {
		bed := parsedBed(t, test.bed)
		c, err := bed.cast("CH-SH")
		if err != nil {
			t.Error(err)
			continue
		}
		err = checkDevices(&bed, &c)
		var got []string
		for _, n := range c.all() {
			if device, _ := c.device(n); err == nil {
				got = append(got, device)
			}
		}
		if text := strings.Join(got, " "); err == nil && text != test.want || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %q, %v, want %s", test.name, text, err, test.want)
		}
	}
}

func TestExampleTestbeds(t *testing.T) {
	for _, name := range testbedExamples {
		text, err := os.ReadFile("../examples/" + name + ".yaml")
		if err != nil {
			t.Error(err)
			continue
		}
		bed := parsedBed(t, string(text))
		s, err := ParseSweep("s.yaml", []byte("stores: [mica, herd]\n"))
		if err != nil {
			t.Fatal(err)
		}
		if err := check(&s, &bed, []int{0, 1}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// testbedExamples are the files in examples that are testbeds.
var testbedExamples = []string{"local", "netns", "netns-onpath", "bluefield", "slurm"}
