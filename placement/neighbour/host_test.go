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
	for server, want := range map[*testbed.Node]string{&host: "hostB", &dpu: "hostB"} {
		n, err := Host(bed, &testbed.Assignment{Server: *server})
		if err != nil || n.Name != want {
			t.Errorf("server on %s: %v, %v; want %s", server.Name, n, err, want)
		}
	}
	_, err := Host(bed, &testbed.Assignment{Server: lost})
	if err == nil || !strings.Contains(err.Error(), `found no node for the host "hostC" of dpuC`) {
		t.Errorf("a host that the testbed lacks: %v", err)
	}
}
