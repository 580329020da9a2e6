package testbed

import (
	"reflect"
	"strings"
	"testing"

	"dpukv/internal/test/testbeds"
	"dpukv/placement/launch"
	"dpukv/verbs/provider"
)

func TestTestbedFile(t *testing.T) {
	got := parsedBed(t, testbeds.RealMachines)
	ssh := func(name, host string) launch.Node { return launch.Node{Name: name, Via: "ssh", Host: host} }
	want := []Node{
		{Node: ssh("hostA", "a.lab"), Kind: "host", Address: "a.lab", RDMA: RDMA{"", provider.Defaults}},
		{
			Node: ssh("dpuA", "10.0.0.2"), Kind: "dpu", Of: "hostA", Generation: "bf2", Address: "10.0.0.2",
			RDMA: RDMA{"mlx5_0", provider.Options{GIDIndex: 3, MTU: 1024}},
		},
		{
			Node: ssh("hostB", "b.lab"), Kind: "host", Address: "b.lab", CPUs: []int{0, 1, 2, 3, 8},
			RDMA: RDMA{"", provider.Defaults},
		},
	}
	if !reflect.DeepEqual(got.Nodes, want) || len(got.ClientSide) != 2 || got.ServerSide[0] != "hostB" {
		t.Errorf("got %+v", got)
	}
	again, err := Parse("again.yaml", got.Marshal())
	if err != nil || got.Differences(&again) != nil {
		t.Errorf("written and read again: %v, %v", err, got.Differences(&again))
	}
}

func TestTestbedFileMistakesAreNamedWithTheirPlace(t *testing.T) {
	const sides = "client_side: a\nserver_side: b\n"
	for _, test := range []struct{ name, file, want string }{
		{
			"unknown key", "node: {}\n",
			`t.yaml:1:1: found the unknown key "node" (did you mean nodes?), allowed: nodes, client_side, server_side, placements, ports, binaries`,
		},
		{
			"unknown key of a node", "nodes:\n  a: {kind: host, cpu: 1}\n",
			`t.yaml:2:19: found the unknown key "cpu" (did you mean cpus?), allowed: kind, of`,
		},
		{
			"unknown key of rdma", "nodes:\n  a: {rdma: {port: 1}}\n",
			`t.yaml:2:14: found the unknown key "port", allowed: device, gid_index, mtu`,
		},
		{"no kind", "nodes:\n  a: {kind: nic}\n", `t.yaml:2:13: kind: found "nic", allowed: host, dpu`},
		{
			"no generation", "nodes:\n  a: {generation: bf9}\n",
			`t.yaml:2:19: generation: found "bf9", allowed: bf1, bf2, bf3`,
		},
		{
			"no way", "nodes:\n  a: {via: telnet}\n",
			`t.yaml:2:12: via: found "telnet", allowed: local, netns, ssh, slurm, kubectl`,
		},
		{"no CPUs", "nodes:\n  a: {cpus: 3-1}\n", "t.yaml:2:13: cpus: CPU list"},
		{
			"a name that is none", "nodes:\n  'a, b': {}\n",
			`t.yaml:2:3: nodes: found the name "a, b", allowed: up to 40 letters`,
		},
		{
			"a placement's name", "placements: {a/b: {}}\n",
			`t.yaml:1:14: placements: found "a/b", allowed: the name of a placement`,
		},
		{"a list of nodes", "nodes: [a]\n", "t.yaml:1:8: nodes: found a list, allowed: keys with values"},
		{"a node that is nothing", "nodes:\n  a:\n", "node a: found nothing, allowed: keys with values"},
		{
			"no sides", "nodes:\n  a: {kind: host}\n",
			"t.yaml:1:1: client_side: found nothing, allowed: one or more of the nodes",
		},
		{
			"a side that is no node", "nodes:\n  a: {kind: host}\n" + sides,
			"t.yaml:4:14: server_side: found b, allowed: one or more of the nodes (a)",
		},
		{
			"a DPU of no host", "nodes:\n  a: {kind: dpu, via: ssh, address: x}\n  b: {kind: host}\n" + sides,
			`t.yaml:2:3: node a: found of: "", allowed: the node of the host`,
		},
		{
			"a host of something", "nodes:\n  a: {kind: host, of: b}\n  b: {kind: host}\n" + sides,
			"t.yaml:2:3: node a: found of or generation on a host",
		},
		{
			"a DPU that is its host", "nodes:\n  a: {kind: dpu, of: b}\n  b: {kind: host}\n" + sides,
			"t.yaml:2:3: node a: found a DPU and its host b both via: local",
		},
		{"no address", "nodes:\n  a: {via: ssh}\n  b: {kind: host}\n" + sides, "t.yaml:2:3: node a: found no address"},
	} {
		_, err := Parse("t.yaml", []byte(test.file))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got error\n  %v, want it to hold\n  %s", test.name, err, test.want)
		}
	}
}

func FuzzParseTestbed(f *testing.F) {
	f.Add([]byte(testbeds.RealMachines))
	f.Add([]byte(bedOfModes))
	local := Local()
	f.Add(local.Marshal())
	f.Fuzz(func(t *testing.T, data []byte) {
		bed, err := Parse("t.yaml", data)
		if err != nil {
			return
		}
		for _, p := range bed.Placements() {
			_, _ = bed.Assign(p.Name)
		}
		if again, err := Parse("again.yaml", bed.Marshal()); err != nil || bed.Differences(&again) != nil {
			t.Errorf("written and read again: %v, %v\n%s", err, bed.Differences(&again), bed.Marshal())
		}
	})
}
