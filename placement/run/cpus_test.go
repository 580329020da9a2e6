package run

import (
	"slices"
	"testing"

	"dpukv/kvs"
	"dpukv/placement/launch"
	"dpukv/placement/node"
	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
)

func TestCPUsAreShared(t *testing.T) {
	one, two := [][]int{{0}}, [][]int{{0}, {1}}
	four := [][]int{{0, 4}, {1, 5}, {2, 6}, {3, 7}}
	on := func(kernel string, cores [][]int, cpus ...int) *end {
		return &end{
			node: &testbed.Node{Node: launch.Node{Name: "on " + kernel}, CPUs: cpus}, kernel: kernel,
			cores: cores,
		}
	}
	for _, test := range []struct {
		name     string
		ends     []*end // the server's first
		threads  int    // of the server
		want     [][]int
		warnings []string
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
		{
			"three cores",
			[]*end{on("a", [][]int{{0}, {1}, {2}}), on("a", [][]int{{0}, {1}, {2}})},
			1,
			[][]int{{0}, {1, 2}},
			nil,
		},
		{"as the nodes say", []*end{on("a", four, 3), on("a", four, 2, 3)}, 1, [][]int{{3}, {2, 3}}, nil},
		{"each its own machine", []*end{on("a", four), on("b", two)}, 2, [][]int{{0, 1}, {0, 1}}, nil},
		{
			"clients on two machines",
			[]*end{on("a", four), on("b", two), on("a", four)},
			1,
			[][]int{{0}, {0, 1}, {2, 3, 6, 7}},
			nil,
		},
		{
			"two clients together",
			[]*end{on("a", four), on("a", four), on("a", four)},
			2,
			[][]int{{0, 1}, {2, 6}, {3, 7}},
			nil,
		},
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
		if got := cpuWarnings(test.ends); !slices.Equal(got, test.warnings) {
			t.Errorf("%s: warnings %q, want %q", test.name, got, test.warnings)
		}
	}
}

// TestHalvesShareCPUs: threads of a half that share CPUs are a warning, as those of a whole server are.
func TestHalvesShareCPUs(t *testing.T) {
	for _, role := range []string{roleStore, roleProxy} {
		e := end{node: &testbed.Node{}, kernel: "a", role: role, threads: 3, cpus: []int{4, 5}}
		want := []string{role + " threads share CPUs: 3 threads, CPU 4-5"}
		if got := cpuWarnings([]*end{&e}); !slices.Equal(got, want) {
			t.Errorf("found %q, want %q", got, want)
		}
	}
}

func TestQuotaOfWholeCPUsIsNoSlowerMachine(t *testing.T) {
	for _, c := range []struct {
		threads int
		quota   float64
		have    int
		want    string
	}{
		{4, 0.96, 1, "node dpuA: 4 threads × strength 0.24 = 0.96 CPUs, and 1 carry them: the emulated DPU " +
			"is as fast as its host here"},
		{5, 1.2, 1, "node dpuA is weaker than its model: 5 threads are to have the time of 1.20 CPUs, " +
			"and it runs on 1"},
		{2, 0.48, 1, ""},
		{4, 0.96, 4, ""},
		{4, 0, 0, ""}, // no quota
	} {
		if got := tooFewCPUs("dpuA", c.threads, c.quota, c.have); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// TestPlaceNeighbour: a neighbour competes with the part of the server on its host, and leaves the
// CPUs of the other processes there alone if it can.
func TestPlaceNeighbour(t *testing.T) {
	process := func(name, kernel string, cpus ...int) *member {
		return &member{end: end{
			node: &testbed.Node{Node: launch.Node{Name: name}}, kernel: kernel, cpus: cpus,
			cores: [][]int{{0}, {1}, {2}, {3}, {4}, {5}},
		}}
	}
	for _, c := range []struct {
		name, kind    string
		server, store *member
		told          []int // by the server, of its own threads or of its store half's
		want          []int
		shares        bool
	}{
		{"cpu on the store's workers", "cpu", process("host", "b", 0, 1, 2), nil, []int{0, 1}, []int{0, 1}, true},
		{"cpu on what the server got", "cpu", process("host", "b", 0, 1), nil, nil, []int{0, 1}, true},
		{"cache beside them", "cache", process("host", "b", 0, 1), nil, nil, []int{2, 4, 5}, false},
		{"cpu on the store half", "cpu", process("dpu", "d", 0, 1), process("host", "b", 0), nil, []int{0}, false},
		{
			"cpu on what the store half told", "cpu", process("dpu", "d", 0, 1), process("host", "b", 0, 1, 2),
			[]int{1},
			[]int{1},
			false,
		},
		{"cpu on the engine", "cpu", process("host", "b", 4), process("dpu", "d", 0), nil, []int{4}, true},
		{"cpu on the host of a DPU", "cpu", process("dpu", "d", 0, 1), nil, nil, []int{0, 1}, false},
		{
			"memory beside an emulated half", "memory", process("dpu", "b", 0), process("host", "b", 1), nil,
			[]int{2, 4, 5},
			false,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			facts := kvs.Facts{CPUs: c.told}
			if c.store != nil {
				facts = kvs.Facts{Lanes: &kvs.LaneFacts{CPUs: c.told}}
			}
			m := measurement{
				pt: &sweep.Point{}, server: &node.Ready{Facts: facts},
				all: &pointProcesses{
					server: c.server, store: c.store, clients: []*member{process("client", "b", 3)},
					neighbour: process("host", "b"),
				},
			}
			m.pt.Neighbour = c.kind
			if warnings := m.placeNeighbour(); warnings != nil {
				t.Errorf("warnings %q", warnings)
			}
			if got := m.all.neighbour.end.cpus; !slices.Equal(got, c.want) {
				t.Errorf("on CPUs %v, want %v", got, c.want)
			}
			if m.sharesServer() != c.shares {
				t.Errorf("shares the server's CPUs: %v, want %v", !c.shares, c.shares)
			}
		})
	}
}
