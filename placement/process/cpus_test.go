package process

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dpukv/placement/launch"
	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
	"dpukv/results"
)

func TestCPUsAreShared(t *testing.T) {
	one, two := [][]int{{0}}, [][]int{{0}, {1}}
	four := [][]int{{0, 4}, {1, 5}, {2, 6}, {3, 7}}
	on := func(kernel string, cores [][]int, cpus ...int) *Process {
		return &Process{
			Node: &testbed.Node{Node: launch.Node{Name: "on " + kernel}, CPUs: cpus}, Kernel: kernel,
			Cores: cores,
		}
	}
	for _, test := range []struct {
		name     string
		ends     []*Process // the server's first
		threads  int        // of the server
		want     [][]int
		warnings []string
	}{
		{"two cores", []*Process{on("a", two), on("a", two)}, 1, [][]int{{0}, {1}}, nil},
		{"one CPU", []*Process{on("a", one), on("a", one)}, 1, [][]int{{0}, {0}}, nil},
		{
			"one core of two threads",
			[]*Process{on("a", [][]int{{0, 1}}), on("a", [][]int{{0, 1}})},
			1,
			[][]int{{0}, {1}},
			[]string{"client and server run on threads of the same core (CPUs 1 and 0)"},
		},
		{
			"more threads than CPUs",
			[]*Process{on("a", two), on("a", two)},
			2,
			[][]int{{0}, {1}},
			[]string{"server threads share CPUs: 2 threads, CPU 0"},
		},
		{"cores of two threads", []*Process{on("a", four), on("a", four)}, 3, [][]int{{0, 1, 4}, {2, 3, 6, 7}}, nil},
		{
			"three cores",
			[]*Process{on("a", [][]int{{0}, {1}, {2}}), on("a", [][]int{{0}, {1}, {2}})},
			1,
			[][]int{{0}, {1, 2}},
			nil,
		},
		{"as the nodes say", []*Process{on("a", four, 3), on("a", four, 2, 3)}, 1, [][]int{{3}, {2, 3}}, nil},
		{"each its own machine", []*Process{on("a", four), on("b", two)}, 2, [][]int{{0, 1}, {0, 1}}, nil},
		{
			"clients on two machines",
			[]*Process{on("a", four), on("b", two), on("a", four)},
			1,
			[][]int{{0}, {0, 1}, {2, 3, 6, 7}},
			nil,
		},
		{
			"two clients together",
			[]*Process{on("a", four), on("a", four), on("a", four)},
			2,
			[][]int{{0, 1}, {2, 6}, {3, 7}},
			nil,
		},
		{
			"two clients, too few cores",
			[]*Process{on("a", two), on("a", two), on("a", two)},
			1,
			[][]int{{0}, {1}, {1}},
			[]string{"clients on a and on a share CPUs (1 and 1)"},
		},
		{
			"many clients, too few cores",
			[]*Process{on("a", two), on("a", two), on("a", two), on("b", two), on("a", two)},
			1,
			[][]int{{0}, {1}, {1}, {0, 1}, {1}},
			[]string{"clients on a and on a and on a share CPUs (1 and 1 and 1)"},
		},
		{"one machine, parted by others", []*Process{on("a", one), on("a", [][]int{{1}})}, 1, [][]int{{0}, {1}}, nil},
		{"a node not visited", []*Process{on("a", nil), on("b", two)}, 1, [][]int{nil, {0, 1}}, nil},
	} {
		for i, e := range test.ends {
			if e.Role, e.Threads = Client, 1; i == 0 {
				e.Role = Server
			}
			if e.Node.CPUs != nil && len(e.Node.CPUs) == 0 {
				e.Node.CPUs = nil
			}
		}
		test.ends[0].Threads = test.threads
		Divide(test.ends)
		for i, e := range test.ends {
			if !slices.Equal(e.CPUs, test.want[i]) {
				t.Errorf("%s: end %d has CPUs %v, want %v", test.name, i, e.CPUs, test.want[i])
			}
		}
		if got := Warnings(test.ends); !slices.Equal(got, results.ReadWarnings(test.warnings...)) {
			t.Errorf("%s: warnings %q, want %q", test.name, got, test.warnings)
		}
	}
}

// TestHalvesShareCPUs: threads of a half that share CPUs are a warning, as those of a whole server are.
func TestHalvesShareCPUs(t *testing.T) {
	for _, role := range []Role{Store, Proxy} {
		e := Process{Node: &testbed.Node{}, Kernel: "a", Role: role, Threads: 3, CPUs: []int{4, 5}}
		want := results.ReadWarnings(string(role) + " threads share CPUs: 3 threads, CPU 4-5")
		if got := Warnings([]*Process{&e}); !slices.Equal(got, want) {
			t.Errorf("found %q, want %q", got, want)
		}
	}
}

// TestRolesOfHalves: a process has the role of its node in an assignment, and its threads. An engine
// in the place of a server is none.
func TestRolesOfHalves(t *testing.T) {
	at := func(name string) testbed.Node { return testbed.Node{Node: launch.Node{Name: name}} }
	store, proxy := at("hostB"), at("dpuA")
	c := testbed.Assignment{Server: at("dpuB"), Clients: []testbed.Node{at("hostA")}, Store: &store, Proxy: &proxy}
	pt := &sweep.Point{}
	pt.ServerThreads, pt.ClientThreads, pt.EngineThreads = 2, 3, 4
	tell := func() (got string) {
		for i, p := range For(&c, pt) {
			if p.Node != c.All()[i] {
				t.Errorf("process %d is on %s, which is not the node of its place", i, p.Node.Name)
			}
			got += fmt.Sprintf("%s on %s: %d, ", p.Role, p.Node.Name, p.Threads)
		}
		return got
	}
	if got := tell(); got != "engine on dpuB: 4, client on hostA: 3, store half on hostB: 2, proxy on dpuA: 3, " {
		t.Errorf("found %s", got)
	}
	pt.EngineThreads = 0
	if got := tell(); !strings.HasPrefix(got, "engine on dpuB: 2, ") {
		t.Errorf("without engine_threads: found %s", got)
	}
	c.Store, c.Proxy = nil, nil
	if got := tell(); got != "server on dpuB: 2, client on hostA: 3, " {
		t.Errorf("a whole one: found %s", got)
	}
}

// TestOrders: a role starts after those that it connects to, and ends before them.
func TestOrders(t *testing.T) {
	ends := map[Role]int{}
	for i, roles := range EndOrder {
		for _, role := range roles {
			ends[role] = i
		}
	}
	for _, c := range []struct{ asks, answers Role }{
		{Engine, Store}, {Proxy, Server}, {Proxy, Engine}, {Client, Proxy}, {Client, Server}, {Client, Engine},
	} {
		if asks := slices.Index(StartOrder, c.asks); asks >= 0 && asks < slices.Index(StartOrder, c.answers) {
			t.Errorf("%s starts before %s, which it connects to", c.asks, c.answers)
		}
		if ends[c.asks] > ends[c.answers] {
			t.Errorf("%s ends before %s, which asks it", c.answers, c.asks)
		}
	}
}
