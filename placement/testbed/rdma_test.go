package testbed

import (
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/internal/test/testbeds"
)

// TestDevices: only processes of one machine use shared memory, and software never replaces a NIC.
func TestDevices(t *testing.T) {
	const a, b = "client_side: a\nserver_side: b\nnodes:\n  a: ", "\n  b: "
	for _, test := range []struct{ name, bed, want string }{
		{"one machine", a + "{kind: host}" + b + "{kind: host}\n", "shm shm"},
		{
			"one machine, on the wish",
			a + "{rdma: {device: softroce}, address: 127.0.0.2}" + b + "{rdma: {device: 'softroce:127.0.0.1'}}\n",
			"softroce:127.0.0.1 softroce:127.0.0.2",
		},
		{"made machines", a + "{via: netns}" + b + "{via: netns}\n", "softroce:ITS-ADDRESS softroce:ITS-ADDRESS"},
		{
			"the user's namespace", a + "{via: netns, namespace: x, address: 10.0.0.1}" + b + "{address: 10.0.0.2}\n",
			"softroce:10.0.0.2 softroce:10.0.0.1",
		},
		{"NICs", a + "{via: ssh, address: h, rdma: {device: mlx5_0}}" + b +
			"{rdma: {device: 'ibverbs:mlx5_1'}, address: 10.0.0.2}\n", "ibverbs:mlx5_1 ibverbs:mlx5_0"},
		{"another machine", a + "{via: ssh, address: h}" + b + "{address: 10.0.0.2}\n", "node b: found no rdma device"},
		{
			"shm across machines", a + "{via: netns}" + b + "{via: netns, rdma: {device: shm}}\n",
			"node b: found rdma: {device: shm}, allowed: between nodes that are via: local",
		},
		{
			"a NIC and software",
			a + "{via: ssh, address: 10.0.0.1, rdma: {device: softroce}}" + b +
				"{address: 10.0.0.2, rdma: {device: mlx5_0}}\n",
			"t.yaml:4:3: node a: found the rdma device softroce:10.0.0.1, and b has ibverbs",
		},
		{
			"software on a name",
			a + "{via: ssh, address: h, rdma: {device: softroce}}" + b +
				"{address: 10.0.0.2, rdma: {device: softroce}}\n",
			"t.yaml:4:3: node a: found the address h, allowed: for softroce an IPv4 address",
		},
	} {
		bed := parsedBed(t, test.bed)
		c := must.Get(bed.Assign("CH-SH"))(t)
		err := CheckDevices(&bed, &c)
		var got []string
		for _, n := range c.All() {
			if device, _ := c.Device(n); err == nil {
				got = append(got, device)
			}
		}
		if text := strings.Join(got, " "); err == nil && text != test.want || err != nil &&
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %q, %v, want %s", test.name, text, err, test.want)
		}
	}
}

// TestLanes: memory of this machine joins halves, unless a node names another device. Real machines
// have devices of the same kind at both ends.
func TestLanes(t *testing.T) {
	const ssh = "via: ssh, address: 10.0.0."
	for _, test := range []struct{ name, host, dpu, want string }{
		{"made machines", "via: netns", "via: netns, profile: bf2", "shm shm"},
		{"on the wish", "via: netns, rdma: {device: shm}", "via: netns, profile: bf2", "shm shm"},
		{
			"another wish", "via: netns, rdma: {device: softroce}", "via: netns, profile: bf2",
			"softroce:ITS-ADDRESS softroce:ITS-ADDRESS",
		},
		{
			"NICs", ssh + "1, rdma: {device: mlx5_0}", ssh + "2, rdma: {device: mlx5_2}",
			"ibverbs:mlx5_2 ibverbs:mlx5_0",
		},
		{
			"no device", ssh + "1, rdma: {device: mlx5_0}", ssh + "2",
			"t.yaml:5:3: node dpuB: found no rdma device",
		},
		{
			"a NIC and software", ssh + "1, rdma: {device: mlx5_0}", ssh + "2, rdma: {device: softroce}",
			"t.yaml:4:3: node hostB: found the rdma device ibverbs:mlx5_0, and dpuB has softroce:10.0.0.2, allowed: " +
				"the same kind at both ends of a lane",
		},
		{
			"shm across machines", ssh + "1, rdma: {device: shm}", ssh + "2, rdma: {device: shm}",
			"node dpuB: found rdma: {device: shm}, allowed: between nodes that are via: local",
		},
	} {
		bed := parsedBed(t, "client_side: hostA\nnodes:\n  hostA: {via: netns}\n  hostB: {"+test.host+
			"}\n  dpuB: {kind: dpu, of: hostB, "+test.dpu+"}\nserver_side: [hostB, dpuB]\n")
		c := must.Get(bed.Assign("CH-ED-SH"))(t)
		var got string
		err := CheckLanes(&bed, &c)
		if err == nil {
			engine, _ := c.LaneDeviceOf(&c.Server)
			store, _ := c.LaneDeviceOf(c.Store)
			got = engine + " " + store
		}
		if client, _ := c.LaneDeviceOf(&c.Clients[0]); client != "" {
			t.Errorf("%s: the client has lanes over %s", test.name, client)
		}
		if err == nil && got != test.want || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %q, %v, want %s", test.name, got, err, test.want)
		}
	}
}

// TestWays: a client with a proxy connects to it and to the server, as the proxy does.
func TestWays(t *testing.T) {
	bed := parsedBed(t, testbeds.FourMachines)
	for name, want := range map[string]string{
		"CH-SH":       "hostA-hostB",
		"CDH-SH":      "hostA-hostB dpuA-hostB",
		"CH-ED-SH":    "hostA-dpuB dpuB-hostB",
		"CH-PD-SH":    "hostA-hostB hostA-dpuA dpuA-hostB",
		"CH-PD-ED-SH": "hostA-dpuB hostA-dpuA dpuA-dpuB dpuB-hostB",
	} {
		c := must.Get(bed.Assign(name))(t)
		var got []string
		for _, way := range c.Ways() {
			got = append(got, way[0].Name+"-"+way[1].Name)
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s has the ways %s, want %s", name, text, want)
		}
	}
}
