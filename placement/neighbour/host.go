package neighbour

import (
	"fmt"

	"dpukv/placement/testbed"
)

// Host returns the node that a neighbour of a placement's nodes runs on: the host of the store half
// or of the server, or that of the host that the server's DPU sits in.
func Host(bed *testbed.Testbed, nodes *testbed.Assignment) (*testbed.Node, error) {
	name := nodes.Server.HostNode()
	if nodes.Store != nil && nodes.Store.Kind == testbed.KindHost {
		name = nodes.Store.Name
	}
	for _, n := range []*testbed.Node{&nodes.Server, nodes.Store} {
		if n != nil && n.Name == name {
			return n, nil
		}
	}
	if n := bed.Node(name); n != nil {
		return n, nil
	}
	return nil, fmt.Errorf("found no node for the host %q of %s in testbed %s, allowed: a host's "+
		"node, where a neighbour runs; add it to nodes, or leave neighbour out", name,
		nodes.Server.Name, bed.Name)
}
