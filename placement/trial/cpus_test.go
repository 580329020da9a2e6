package trial

import (
	"slices"
	"testing"

	"dpukv/kvs"
	"dpukv/placement/launch"
	"dpukv/placement/node"
	"dpukv/placement/path"
	"dpukv/placement/process"
	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
	"dpukv/results"
)

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
		if got := tooFewCPUs("dpuA", c.threads, c.quota, c.have); !slices.Equal(got, results.ReadWarnings(c.want)) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// TestPlaceNeighbour: a neighbour competes with the part of the server on its host, and leaves the
// CPUs of the other processes there alone if it can.
func TestPlaceNeighbour(t *testing.T) {
	at := func(name, kernel string, cpus ...int) *member {
		return &member{place: &process.Process{
			Node: &testbed.Node{Node: launch.Node{Name: name}}, Kernel: kernel, CPUs: cpus,
			Cores: [][]int{{0}, {1}, {2}, {3}, {4}, {5}},
		}}
	}
	for _, c := range []struct {
		name, kind    string
		server, store *member
		told          []int // by the server, of its own threads or of its store half's
		want          []int
		shares        bool
	}{
		{"cpu on the store's workers", "cpu", at("host", "b", 0, 1, 2), nil, []int{0, 1}, []int{0, 1}, true},
		{"cpu on what the server got", "cpu", at("host", "b", 0, 1), nil, nil, []int{0, 1}, true},
		{"cache beside them", "cache", at("host", "b", 0, 1), nil, nil, []int{2, 4, 5}, false},
		{"cpu on the store half", "cpu", at("dpu", "d", 0, 1), at("host", "b", 0), nil, []int{0}, false},
		{
			"cpu on what the store half told", "cpu", at("dpu", "d", 0, 1), at("host", "b", 0, 1, 2),
			[]int{1},
			[]int{1},
			false,
		},
		{"cpu on the engine", "cpu", at("host", "b", 4), at("dpu", "d", 0), nil, []int{4}, true},
		{"cpu on the host of a DPU", "cpu", at("dpu", "d", 0, 1), nil, nil, []int{0, 1}, false},
		{
			"memory beside an emulated half", "memory", at("dpu", "b", 0), at("host", "b", 1), nil,
			[]int{2, 4, 5},
			false,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			facts := kvs.Facts{CPUs: c.told}
			if c.store != nil {
				facts = kvs.Facts{Lanes: &kvs.LaneFacts{CPUs: c.told}}
			}
			c.server.place.Role = process.Server
			members := []*member{c.server, at("client", "b", 3)}
			if c.store != nil {
				c.server.place.Role, c.store.place.Role = process.Engine, process.Store
				members = append(members, c.store)
			}
			by := at("host", "b")
			by.place.Role = process.Neighbour
			s := storing{
				t:     &trial{pt: &sweep.Point{}, path: &path.Path{}, all: newGroup(append(members, by))},
				ready: map[process.Role]*node.Ready{c.server.place.Role: {Facts: facts}},
			}
			s.t.pt.Neighbour = c.kind
			if warnings := s.placeNeighbour(); warnings != nil {
				t.Errorf("warnings %q", warnings)
			}
			if got := by.place.CPUs; !slices.Equal(got, c.want) {
				t.Errorf("on CPUs %v, want %v", got, c.want)
			}
			if s.sharesServer() != c.shares {
				t.Errorf("shares the server's CPUs: %v, want %v", !c.shares, c.shares)
			}
		})
	}
}
