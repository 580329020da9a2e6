package testbed

import (
	"slices"

	"dpukv/placement/launch"
)

// Key describes a key of a testbed file.
type Key struct {
	Name    string
	Via     string // the key is allowed with this via only; "": with all
	Help    string // the meaning, in one sentence
	Allowed string
	Default string
	Example string // a value, as a file has it
}

// Section is the keys of one mapping in a testbed file.
type Section struct {
	Of   string // the mapping, as a heading
	Keys []Key
}

// Keys describes all keys of a testbed file.
func Keys() []Section {
	sections := []Section{{"The file", slices.Clone(testbedKeys)}}
	node := func(via, heading string) {
		var keys []Key
		for i := range nodeKeys {
			if nodeKeys[i].Via == via {
				keys = append(keys, nodeKeys[i].Key)
			}
		}
		if keys != nil {
			sections = append(sections, Section{heading, keys})
		}
	}
	node("", "A node")
	for _, via := range launch.Vias() {
		node(via, "A node with via: "+via)
	}
	return append(sections,
		Section{"rdma of a node", slices.Clone(rdmaKeys)},
		Section{"modes of a node", slices.Clone(modeKeys)},
		Section{"A mode of a node", slices.Clone(endsKeys)},
		Section{"datapath of a node", slices.Clone(datapathKeys)},
		Section{"A placement", slices.Clone(placementKeys)})
}

func keyNames(keys []Key) []string {
	names := make([]string, len(keys))
	for i := range keys {
		names[i] = keys[i].Name
	}
	return names
}
