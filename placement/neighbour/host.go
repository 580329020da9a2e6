package neighbour

import (
	"fmt"

	"dpukv/placement/testbed"
)

// Host returns the node that a neighbour of a placement's nodes runs on: that of the store half on
// a host, else the server's, or that of the host that the server's DPU sits in.
func Host(bed *testbed.Testbed, nodes *testbed.Assignment) (*testbed.Node, error) {
	if nodes.Store != nil && nodes.Store.Kind == testbed.KindHost {
		return nodes.Store, nil
	}
	name := nodes.Server.HostNode()
	if nodes.Server.Name == name {
		return &nodes.Server, nil
	}
	if n := bed.Node(name); n != nil {
		return n, nil
	}
	return nil, fmt.Errorf("found no node for the host %q of %s in testbed %s, allowed: a host's "+
		"node, where a neighbour runs; add it to nodes, or leave neighbour out", name,
		nodes.Server.Name, bed.Name)
}
