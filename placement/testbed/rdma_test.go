package testbed

import (
	"strings"
	"testing"
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
		c, err := bed.Assign("CH-SH")
		if err != nil {
			t.Error(err)
			continue
		}
		err = CheckDevices(&bed, &c)
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
