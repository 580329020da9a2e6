package placement

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"dpukv/internal/cpu"
	"dpukv/placement/launch"
	"dpukv/verbs/provider"
)

const bluefield = `# two hosts with a DPU each
nodes:
  hostA: {kind: host, via: ssh, address: a.lab}
  dpuA: {kind: dpu, of: hostA, generation: bf2, via: ssh, address: 10.0.0.2, rdma: {device: mlx5_0, gid_index: 3, mtu: 1024}}
  hostB:
    address: b.lab
    via: ssh
    cpus: 0-3,8
client_side: [hostA, dpuA]
server_side: hostB
`

func TestTestbedFile(t *testing.T) {
	got, err := ParseTestbed("t.yaml", []byte(bluefield))
	if err != nil {
		t.Fatal(err)
	}
	ssh := func(name, host string) launch.Node { return launch.Node{Name: name, Via: "ssh", Host: host} }
	want := []Node{
		{Node: ssh("hostA", "a.lab"), Kind: "host", Address: "a.lab", RDMA: RDMA{"", provider.Defaults}},
		{Node: ssh("dpuA", "10.0.0.2"), Kind: "dpu", Of: "hostA", Generation: "bf2", Address: "10.0.0.2", RDMA: RDMA{"mlx5_0", provider.Options{GIDIndex: 3, MTU: 1024}}},
		{Node: ssh("hostB", "b.lab"), Kind: "host", Address: "b.lab", CPUs: []int{0, 1, 2, 3, 8}, RDMA: RDMA{"", provider.Defaults}},
	}
	if !reflect.DeepEqual(got.Nodes, want) || len(got.ClientSide) != 2 || got.ServerSide[0] != "hostB" {
		t.Errorf("got %+v", got)
	}
	again, err := ParseTestbed("again.yaml", got.Marshal())
	if err != nil || got.differences(&again) != nil {
		t.Errorf("written and read again: %v, %v", err, got.differences(&again))
	}
}

func TestTestbedFileMistakesAreNamedWithTheirPlace(t *testing.T) {
	const sides = "client_side: a\nserver_side: b\n"
	for _, test := range []struct{ name, file, want string }{
		{"unknown key", "node: {}\n", `t.yaml:1:1: found the unknown key "node" (did you mean nodes?), allowed: nodes, client_side, server_side, placements, binaries`},
		{"unknown key of a node", "nodes:\n  a: {kind: host, cpu: 1}\n", `t.yaml:2:19: found the unknown key "cpu" (did you mean cpus?), allowed: kind, of`},
		{"unknown key of rdma", "nodes:\n  a: {rdma: {port: 1}}\n", `t.yaml:2:14: found the unknown key "port", allowed: device, gid_index, mtu`},
		{"no kind", "nodes:\n  a: {kind: nic}\n", `t.yaml:2:13: kind: found "nic", allowed: host, dpu`},
		{"no generation", "nodes:\n  a: {generation: bf9}\n", `t.yaml:2:19: generation: found "bf9", allowed: bf1, bf2, bf3`},
		{"no way", "nodes:\n  a: {via: telnet}\n", `t.yaml:2:12: via: found "telnet", allowed: local, netns, ssh, slurm, kubectl`},
		{"no CPUs", "nodes:\n  a: {cpus: 3-1}\n", "t.yaml:2:13: cpus: CPU list"},
		{"a name that is none", "nodes:\n  'a, b': {}\n", `t.yaml:2:3: nodes: found the name "a, b", allowed: up to 40 letters`},
		{"a placement's name", "placements: {a/b: {}}\n", `t.yaml:1:14: placements: found "a/b", allowed: the name of a placement`},
		{"a list of nodes", "nodes: [a]\n", "t.yaml:1:8: nodes: found a list, allowed: keys with values"},
		{"a node that is nothing", "nodes:\n  a:\n", "node a: found nothing, allowed: keys with values"},
		{"no sides", "nodes:\n  a: {kind: host}\n", "t.yaml:1:1: client_side: found nothing, allowed: one or more of the nodes"},
		{"a side that is no node", "nodes:\n  a: {kind: host}\n" + sides, "t.yaml:4:14: server_side: found b, allowed: one or more of the nodes (a)"},
		{"a DPU of no host", "nodes:\n  a: {kind: dpu, via: ssh, address: x}\n  b: {kind: host}\n" + sides, `t.yaml:2:3: node a: found of: "", allowed: the node of the host`},
		{"a host of something", "nodes:\n  a: {kind: host, of: b}\n  b: {kind: host}\n" + sides, "t.yaml:2:3: node a: found of or generation on a host"},
		{"a DPU that is its host", "nodes:\n  a: {kind: dpu, of: b}\n  b: {kind: host}\n" + sides, "t.yaml:2:3: node a: found a DPU and its host b both via: local"},
		{"no address", "nodes:\n  a: {via: ssh}\n  b: {kind: host}\n" + sides, "t.yaml:2:3: node a: found no address"},
	} {
		_, err := ParseTestbed("t.yaml", []byte(test.file))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got error\n  %v, want it to hold\n  %s", test.name, err, test.want)
		}
	}
}

func FuzzParseTestbed(f *testing.F) {
	f.Add([]byte(bluefield))
	local := Local()
	f.Add(local.Marshal())
	f.Fuzz(func(t *testing.T, data []byte) {
		bed, err := ParseTestbed("t.yaml", data)
		if err != nil {
			return
		}
		for _, p := range bed.placements() {
			_, _ = bed.cast(p.Name)
		}
		if again, err := ParseTestbed("again.yaml", bed.Marshal()); err != nil || bed.differences(&again) != nil {
			t.Errorf("written and read again: %v, %v\n%s", err, bed.differences(&again), bed.Marshal())
		}
	})
}

func TestImpossibleCombinationsAreRefused(t *testing.T) {
	remote, err := ParseTestbed("t.yaml", []byte(bluefield))
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := Local()
	elsewhere.Nodes[1].CPUs = []int{7}
	for _, test := range []struct {
		name, sweep string
		testbed     Testbed
		want        string
	}{
		{"a DPU that is not there", "placements: [CH-SH, CD-SH]\n", Local(), "s.yaml:1:21: placements: CD-SH runs the client on a dpu, and client_side of testbed local has none"},
		{"no such placement", "placements: CH-SX\n", Local(), "s.yaml:1:13: placements: found CH-SX, allowed: CH-SH, CD-SH, CDH-SH, CH-SD, CD-SD, L-CD-SH (a testbed file may have its own"},
		{"the server's own DPU", "placements: L-CD-SH\n", remote, "L-CD-SH runs the client on the DPU in the server's host hostB, and server_side of testbed t.yaml has none (only hostB)"},
		{"no device", "stores: herd\n", remote, "t.yaml:5:3: node hostB: found no rdma device, allowed: rdma: {device: NAME} with a NIC's name"},
		{"a submode", "submodes: sm1\n", Local(), "s.yaml:1:11: submodes: sm1 with CH-SH: found no DPU in server, allowed: a testbed with a node {kind: dpu, of: server}"},
		{"a CPU that is not there", "", elsewhere, "node server: CPU 7 is not one this process may use (0-1)"},
		{"more keys than there are names", "key_bytes: 1\n", Local(), "key_bytes 1 allows only 256 different keys"},
		{"a schedule of a closed loop", "keys: 10\narrivals: [poisson]\n", Local(), "s.yaml:2:12: arrivals is poisson, but a closed loop"},
		{"a batch that no frame holds", "batch: [64, 65536]\n", Local(), "s.yaml:1:13: batch: found 65536, allowed: at most"},
		{"a product without end", "keys: [" + numbers(1000) + "]\nwindow: [" + numbers(1000) + "]\n", Local(), "the sweep has 1000000 points or more"},
	} {
		s, err := ParseSweep("s.yaml", []byte(test.sweep))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if err := check(&s, &test.testbed, []int{0, 1}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got\n  %v, want it to hold\n  %s", test.name, err, test.want)
		}
	}
	d, local := Default(), Local()
	if err := check(&d, &local, []int{0, 1}); err != nil {
		t.Errorf("the defaults are refused: %v", err)
	}
}

func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strings.TrimSpace(cpu.FormatList([]int{i + 1})))
	}
	return b.String()
}

func TestCPUsAreShared(t *testing.T) {
	one, two := [][]int{{0}}, [][]int{{0}, {1}}
	four := [][]int{{0, 4}, {1, 5}, {2, 6}, {3, 7}}
	on := func(kernel string, cores [][]int, cpus ...int) *end {
		return &end{node: &Node{Node: launch.Node{Name: "on " + kernel}, CPUs: cpus}, kernel: kernel, cores: cores}
	}
	for _, test := range []struct {
		name    string
		ends    []*end // the server's first
		threads int    // of the server
		want    [][]int
		doubts  []string
	}{
		{"two cores", []*end{on("a", two), on("a", two)}, 1, [][]int{{0}, {1}}, nil},
		{"one CPU", []*end{on("a", one), on("a", one)}, 1, [][]int{{0}, {0}}, nil},
		{
			"one core of two threads",
			[]*end{on("a", [][]int{{0, 1}}), on("a", [][]int{{0, 1}})},
			1,
			[][]int{{0}, {1}},
			[]string{"client and server run on threads of the same core (CPUs 1 and 0)"},
		},
		{
			"more threads than CPUs",
			[]*end{on("a", two), on("a", two)},
			2,
			[][]int{{0}, {1}},
			[]string{"server threads share CPUs: 2 threads, CPU 0"},
		},
		{"cores of two threads", []*end{on("a", four), on("a", four)}, 3, [][]int{{0, 1, 4}, {2, 3, 6, 7}}, nil},
		{"three cores", []*end{on("a", [][]int{{0}, {1}, {2}}), on("a", [][]int{{0}, {1}, {2}})}, 1, [][]int{{0}, {1, 2}}, nil},
		{"as the nodes say", []*end{on("a", four, 3), on("a", four, 2, 3)}, 1, [][]int{{3}, {2, 3}}, nil},
		{"each its own machine", []*end{on("a", four), on("b", two)}, 2, [][]int{{0, 1}, {0, 1}}, nil},
		{"clients on two machines", []*end{on("a", four), on("b", two), on("a", four)}, 1, [][]int{{0}, {0, 1}, {2, 3, 6, 7}}, nil},
		{"two clients together", []*end{on("a", four), on("a", four), on("a", four)}, 2, [][]int{{0, 1}, {2, 6}, {3, 7}}, nil},
		{
			"two clients, too few cores",
			[]*end{on("a", two), on("a", two), on("a", two)},
			1,
			[][]int{{0}, {1}, {1}},
			[]string{"clients on a and on a share CPUs (1 and 1)"},
		},
		{"one machine, parted by others", []*end{on("a", one), on("a", [][]int{{1}})}, 1, [][]int{{0}, {1}}, nil},
		{"a node not visited", []*end{on("a", nil), on("b", two)}, 1, [][]int{nil, {0, 1}}, nil},
	} {
		for i, e := range test.ends {
			e.server, e.threads = i == 0, 1
			if e.node.CPUs != nil && len(e.node.CPUs) == 0 {
				e.node.CPUs = nil
			}
		}
		test.ends[0].threads = test.threads
		planCPUs(test.ends)
		for i, e := range test.ends {
			if !slices.Equal(e.cpus, test.want[i]) {
				t.Errorf("%s: end %d has CPUs %v, want %v", test.name, i, e.cpus, test.want[i])
			}
		}
		if got := cpuDoubts(test.ends); !slices.Equal(got, test.doubts) {
			t.Errorf("%s: doubts %q, want %q", test.name, got, test.doubts)
		}
	}
}
