package trial

import (
	"slices"
	"strings"
	"testing"

	"dpukv/kvs"
	"dpukv/placement/launch"
	"dpukv/placement/process"
	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
	"dpukv/results"
)

// local is a node on this machine.
func local(name, kind string) testbed.Node {
	return testbed.Node{Node: launch.Node{Name: name, Via: launch.Local}, Kind: kind}
}

// TestNoHalves: a server that is whole, where halves were asked for, fails the point. Its figures are
// those of another placement.
func TestNoHalves(t *testing.T) {
	dpu, host := local("dpuB", testbed.KindDPU), local("hostB", testbed.KindHost)
	used := func(lanes, proxy string) *results.Point {
		p := &results.Point{}
		if lanes != "" {
			p.Lanes = &results.Lanes{Provider: lanes}
		}
		if proxy != "" {
			p.ProxyLanes = &results.Lanes{Provider: proxy}
		}
		return p
	}
	c := testbed.Assignment{Server: dpu, Store: &host}
	if err := verifyHalves("P", &c, &results.Point{}); err == nil {
		t.Error("a whole server passes for one in halves")
	}
	if err := verifyHalves("P", &c, used("shm", "")); err != nil {
		t.Error(err)
	}
	if err := verifyHalves("P", &c, used("softroce", "")); err == nil ||
		err.Error() != "lanes: found the provider softroce, wanted shm, as between the nodes dpuB and hostB" {
		t.Errorf("lanes of another device: %v", err)
	}
	c = testbed.Assignment{Proxy: &dpu, Clients: []testbed.Node{host}}
	if err := verifyHalves("P", &c, used("", "softroce")); err == nil ||
		!strings.HasPrefix(err.Error(), "proxy_lanes: found the provider softroce") {
		t.Errorf("proxy lanes of another device: %v", err)
	}
	if err := verifyHalves("P", &c, &results.Point{}); err == nil {
		t.Error("a client without a proxy passes for one with it")
	}
	c = testbed.Assignment{}
	if err := verifyHalves("P", &c, &results.Point{Used: results.Used{Lanes: &results.Lanes{}}}); err == nil {
		t.Error("a server in halves passes for a whole one")
	}
}

// TestLaneWarnings: what plays PCIe is named, be it memory or RDMA in software. A card needs no warning.
func TestLaneWarnings(t *testing.T) {
	for name, c := range map[string]struct {
		lanes results.Lanes
		want  string
	}{
		"shm":      {results.Lanes{Provider: "shm"}, "engine and store are memory of this machine (shm)"},
		"softroce": {results.Lanes{Provider: "softroce", Emulated: true}, "pass RDMA in software (softroce)"},
		"ibverbs":  {results.Lanes{Provider: "ibverbs"}, ""},
	} {
		got := laneWarnings(&results.Point{Used: results.Used{Lanes: &c.lanes}}).String()
		if !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: found %q, want %q", name, got, c.want)
		}
	}
}

// TestNoteParts: a part has the machine of its process, and the CPU time of several clients that of
// each one's machine.
func TestNoteParts(t *testing.T) {
	at := func(role process.Role, n testbed.Node) *member {
		return &member{place: &process.Process{Role: role, Node: &n}}
	}
	s := &storing{t: &trial{pt: &sweep.Point{}, all: &group{members: []*member{
		at(process.Engine, local("dpuB", testbed.KindDPU)),
		at(process.Client, local("hostA", testbed.KindHost)),
		at(process.Client, local("dpuA", testbed.KindDPU)),
		at(process.Store, local("hostB", testbed.KindHost)),
	}}}}
	p := &results.Point{
		Counted: results.Counted{Ops: 4},
		Cost: results.Cost{
			Parts: []results.Part{
				{Part: kvs.PartApplication, CPUNsPerOp: 150},
				{Part: kvs.PartEngine, CPUNsPerOp: 50},
				{Part: kvs.PartStore, CPUNsPerOp: 20},
			},
		},
		Clients: []results.ClientShare{
			{Node: results.Node{Kind: testbed.KindHost}, Ops: 3, CPUNsPerOp: 100},
			{Node: results.Node{Kind: testbed.KindDPU}, Ops: 1, CPUNsPerOp: 300},
		},
	}
	s.noteParts(p)
	node := func(name, kind string) results.Node { return results.Node{Node: name, Kind: kind} }
	want := []results.Part{
		{Part: kvs.PartApplication, CPUNsPerOp: 150},
		{Part: kvs.PartEngine, Node: node("dpuB", testbed.KindDPU), CPUNsPerOp: 50},
		{Part: kvs.PartStore, Node: node("hostB", testbed.KindHost), CPUNsPerOp: 20},
	}
	if !slices.Equal(p.Parts, want) {
		t.Errorf("found %+v, want %+v", p.Parts, want)
	}
	got := []float64{p.ClientHostCPUNsPerOp, p.ClientDPUCPUNsPerOp, p.ServerHostCPUNsPerOp, p.ServerDPUCPUNsPerOp}
	if !slices.Equal(got, []float64{75, 75, 20, 50}) {
		t.Errorf("found %v on hosts and DPUs of clients and server, want 75, 75, 20, 50", got)
	}
}
