package neighbour

import (
	"strings"
	"testing"

	"dpukv/placement/launch"
	"dpukv/placement/testbed"
)

// TestHost: a neighbour runs on the host, whether the store is on it or on its DPU.
func TestHost(t *testing.T) {
	host := testbed.Node{Node: launch.Node{Name: "hostB"}, Kind: testbed.KindHost}
	dpu := testbed.Node{Node: launch.Node{Name: "dpuB"}, Kind: testbed.KindDPU, Of: "hostB"}
	lost := testbed.Node{Node: launch.Node{Name: "dpuC"}, Kind: testbed.KindDPU, Of: "hostC"}
	bed := &testbed.Testbed{Name: "two", Nodes: []testbed.Node{host, dpu, lost}}
	other := testbed.Node{Node: launch.Node{Name: "hostC"}, Kind: testbed.KindHost}
	for _, on := range []testbed.Assignment{
		{Server: host},
		{Server: dpu},
		{Server: dpu, Store: &host},
		{Server: host, Store: &dpu},
		{Server: other, Store: &host},
		{Server: lost, Store: &host},
		{Server: host, Store: &lost},
	} {
		n, err := Host(bed, &on)
		if err != nil || n.Name != "hostB" {
			t.Errorf("server on %s: %v, %v; want hostB", on.Server.Name, n, err)
		}
		if on.Store == &host && n != on.Store {
			t.Error("a split server: another copy of the store half's node")
		}
	}
	_, err := Host(bed, &testbed.Assignment{Server: lost})
	if err == nil || !strings.Contains(err.Error(), `found no node for the host "hostC" of dpuC`) {
		t.Errorf("a host that the testbed lacks: %v", err)
	}
}
