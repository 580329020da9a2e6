package placement

import (
	"reflect"
	"strings"
	"testing"

	"dpukv/internal/cpu"
)

const bluefield = `# two hosts with a DPU each
nodes:
  hostA: {kind: host, via: ssh, address: a.lab}
  dpuA: {kind: dpu, of: hostA, generation: bf2, via: ssh, address: 10.0.0.2, rdma: {device: mlx5_0, gid_index: 3}}
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
	want := []Node{
		{Name: "hostA", Kind: "host", Via: "ssh", Address: "a.lab"},
		{Name: "dpuA", Kind: "dpu", Of: "hostA", Generation: "bf2", Via: "ssh", Address: "10.0.0.2", RDMA: RDMA{"mlx5_0", 3}},
		{Name: "hostB", Kind: "host", Via: "ssh", Address: "b.lab", CPUs: []int{0, 1, 2, 3, 8}},
	}
	if !reflect.DeepEqual(got.Nodes, want) || len(got.ClientSide) != 2 || got.ServerSide[0] != "hostB" {
		t.Errorf("got %+v", got)
	}
	again, err := ParseTestbed("again.yaml", got.Marshal())
	if err != nil || got.differences(&again) != nil {
		t.Errorf("written and read again: %v, %v", err, got.differences(&again))
	}
	p, err := got.pairFor("CD-SH")
	if err != nil || p.client.Name != "dpuA" || p.server.Name != "hostB" {
		t.Errorf("CD-SH runs on %+v, %v", p, err)
	}
}

func TestTestbedFileMistakesAreNamedWithTheirPlace(t *testing.T) {
	const sides = "client_side: a\nserver_side: b\n"
	for _, test := range []struct{ name, file, want string }{
		{"unknown key", "node: {}\n", `t.yaml:1:1: found the unknown key "node" (did you mean nodes?), allowed: nodes, client_side, server_side`},
		{"unknown key of a node", "nodes:\n  a: {kind: host, cpu: 1}\n", `t.yaml:2:19: found the unknown key "cpu" (did you mean cpus?), allowed: kind, of`},
		{"unknown key of rdma", "nodes:\n  a: {rdma: {port: 1}}\n", `t.yaml:2:14: found the unknown key "port", allowed: device, gid_index`},
		{"no kind", "nodes:\n  a: {kind: nic}\n", `t.yaml:2:13: kind: found "nic", allowed: host, dpu`},
		{"no generation", "nodes:\n  a: {generation: bf9}\n", `t.yaml:2:19: generation: found "bf9", allowed: bf1, bf2, bf3`},
		{"no way", "nodes:\n  a: {via: telnet}\n", `t.yaml:2:12: via: found "telnet", allowed: local, netns, ssh, slurm, kubectl`},
		{"no CPUs", "nodes:\n  a: {cpus: 3-1}\n", "t.yaml:2:13: cpus: CPU list"},
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
		for _, placement := range placements {
			_, _ = bed.pairFor(placement)
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
		{"a DPU that is not there", "placements: [CH-SH, CD-SH]\n", Local(), "s.yaml:1:21: placements: CD-SH runs the client on a dpu, and the client side of testbed local has none"},
		{"two clients", "placements: CDH-SH\n", Local(), "s.yaml:1:13: placements: CDH-SH is not built yet; works: CH-SH"},
		{"the server's own DPU", "placements: L-CD-SH\n", remote, "L-CD-SH is not built yet"},
		{"a submode", "submodes: sm1\n", Local(), "s.yaml:1:11: submodes: sm1 is not built yet; works: off-path"},
		{"a launcher to come", "", remote, "t.yaml:3:3: node hostA: via: ssh is not built yet; works: local"},
		{"a CPU that is not there", "", elsewhere, "node server: CPU 7 is not one this process may use (0-1)"},
		{"more keys than there are names", "key_bytes: 1\n", Local(), "key_bytes 1 allows only 256 different keys"},
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
	local := Local()
	p, _ := local.pairFor("CH-SH")
	for _, test := range []struct {
		name    string
		cores   [][]int
		threads int // of the server
		want    cpuPlan
	}{
		{"two cores", [][]int{{0}, {1}}, 1, cpuPlan{server: []int{0}, client: []int{1}}},
		{"one CPU", [][]int{{0}}, 1, cpuPlan{server: []int{0}, client: []int{0}}},
		{"one core of two threads", [][]int{{0, 1}}, 1, cpuPlan{
			[]int{0},
			[]int{1},
			[]string{"client and server run on threads of the same core (CPUs 1 and 0)"},
		}},
		{"more threads than CPUs", [][]int{{0}, {1}}, 2, cpuPlan{
			[]int{0},
			[]int{1},
			[]string{"server threads share CPUs: 2 threads, CPU 0"},
		}},
		{
			"cores of two threads",
			[][]int{{0, 4}, {1, 5}, {2, 6}, {3, 7}},
			3,
			cpuPlan{server: []int{0, 1, 4}, client: []int{2, 3, 6, 7}},
		},
		{"three cores", [][]int{{0}, {1}, {2}}, 1, cpuPlan{server: []int{0}, client: []int{1, 2}}},
	} {
		if got := planCPUs(test.cores, p, test.threads); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %+v, want %+v", test.name, got, test.want)
		}
	}
	p.server.CPUs, p.client.CPUs = []int{3}, []int{2, 3}
	want := cpuPlan{server: []int{3}, client: []int{2, 3}}
	if got := planCPUs([][]int{{0}, {1}, {2}, {3}}, p, 1); !reflect.DeepEqual(got, want) {
		t.Errorf("as the nodes say: got %+v, want %+v", got, want)
	}
}
