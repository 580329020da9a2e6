package probes

import (
	"fmt"
	"strings"

	"dpukv/internal/spelling"
	"dpukv/probe"
	"dpukv/probe/dma"
	"dpukv/probe/memory"
	"dpukv/probe/network"
	"dpukv/probe/rdma"
)

// table has one line a kind. Help and errors name the kinds in this order.
var table = []probe.Kind{
	memory.Kind,
	network.Kind,
	rdma.Kind,
	dma.Kind,
}

// Names returns the names of all kinds.
func Names() []string {
	var names []string
	for i := range table {
		names = append(names, table[i].Name)
	}
	return names
}

// Named returns the kind with a name.
func Named(name string) (*probe.Kind, error) {
	for i := range table {
		if table[i].Name == name {
			return &table[i], nil
		}
	}
	return nil, fmt.Errorf("measure: found %q%s, allowed: %s", name,
		spelling.Hint(name, Names()), strings.Join(Names(), ", "))
}
