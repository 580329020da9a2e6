package verify

import (
	"encoding/json"
	"fmt"

	"dpukv/results"
)

// machine is what a line of env.jsonl says of a node and of the program there.
type machine struct {
	results.Node
	Version string `json:"version"`
	Build   string `json:"build"`
}

// nodes checks that env.jsonl has the machines of each point.
func (f *folder) nodes() Check {
	lines, _, err := f.Env()
	if err != nil {
		return outcome("nodes", "env.jsonl can't be read", []string{err.Error()})
	}
	there, versions := map[results.Node]bool{}, map[string]bool{}
	builds := map[string]bool{} // with their versions
	for _, line := range lines {
		var m machine
		if json.Unmarshal(line, &m) == nil && m.Node.Node != "" {
			there[m.Node], versions[m.Node.Node+" "+m.Version] = true, true
			builds[m.Version+" "+m.Build] = true
		}
	}
	c := f.each("nodes", func(p *results.Point) (faults []string) {
		for _, n := range nodesOf(p) {
			switch {
			case !there[n]:
				faults = append(faults, fmt.Sprintf("node %s (%s %s %s): found no such node in "+
					"env.jsonl", n.Node, n.Kind, n.Generation, n.Profile))
			case !versions[n.Node+" "+p.ClientVersion]:
				faults = append(faults, fmt.Sprintf("node %s: found no dpukv %s there in env.jsonl",
					n.Node, p.ClientVersion))
			}
		}
		for _, digest := range p.Builds {
			if !builds[p.ClientVersion+" "+digest] {
				faults = append(faults, fmt.Sprintf("build %s of dpukv %s: found no such build in "+
					"env.jsonl", digest, p.ClientVersion))
			}
		}
		return faults
	})
	c.Found = fmt.Sprintf("%s, %s", count(len(there), "node"), c.Found)
	return c
}

// nodesOf returns the machines that a point names.
func nodesOf(p *results.Point) (nodes []results.Node) {
	if p.ServerNode.Node != "" {
		nodes = append(nodes, p.ServerNode)
	}
	for i := range p.Clients {
		nodes = append(nodes, p.Clients[i].Node)
	}
	return nodes
}
