package testbed

import (
	"strings"
	"testing"
)

// TestLaneDevices: halves on this machine share memory, which plays PCIe, unless a node names another
// device. Elsewhere the devices of both nodes join them.
func TestLaneDevices(t *testing.T) {
	for _, test := range []struct{ name, host, dpu, want string }{
		{"made machines", "{via: netns}", "{via: netns}", "shm shm"},
		{"asked for", "{via: netns, rdma: {device: shm}}", "{via: netns}", "shm shm"},
		{
			"software", "{via: netns}", "{via: netns, rdma: {device: softroce}}",
			"softroce:ITS-ADDRESS softroce:ITS-ADDRESS",
		},
		{
			"a card", "{via: ssh, address: h, rdma: {device: mlx5_0}}",
			"{via: ssh, address: d, rdma: {device: mlx5_2}}", "ibverbs:mlx5_2 ibverbs:mlx5_0",
		},
		{
			"no device", "{via: ssh, address: h, rdma: {device: mlx5_0}}", "{via: ssh, address: d}",
			"node dpu: found no rdma device, allowed: rdma: {device: NAME}",
		},
		{
			"shared memory of two machines", "{via: ssh, address: h, rdma: {device: shm}}",
			"{via: ssh, address: d, rdma: {device: shm}}", "node dpu: found rdma: {device: shm}, allowed: between",
		},
		{
			"a NIC and software", "{via: ssh, address: h, rdma: {device: mlx5_0}}",
			"{via: ssh, address: 10.0.0.2, rdma: {device: softroce}}",
			"node host: found the rdma device ibverbs:mlx5_0, and dpu has softroce, allowed",
		},
	} {
		bed := parsedBed(t, "client_side: host\nserver_side: [host, dpu]\nnodes:\n  host: "+test.host+
			"\n  dpu: "+strings.Replace(test.dpu, "{", "{kind: dpu, generation: bf2, of: host, ", 1)+"\n")
		c, err := bed.Assign("CH-ED-SH")
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		text := ""
		if err := CheckDevices(&bed, &c); err != nil {
			text = err.Error()
		} else {
			text = strings.Join(append(c.DevicesOf("dpu"), c.DevicesOf("host")...), " ")
		}
		if !strings.Contains(text, test.want) {
			t.Errorf("%s: got %q, want %s", test.name, text, test.want)
		}
	}
}

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
