package probechart

import (
	"encoding/json"
	"strings"

	"dpukv/results"
)

// Nodes is what env.jsonl says of the nodes. The zero value knows none.
type Nodes struct {
	list []node
}

type node struct {
	Name       string `json:"node"`
	Kind       string `json:"kind"`
	Generation string `json:"generation"`
	Source     int    `json:"source"` // of a merged folder
}

// NewNodes reads the objects of env.jsonl. It leaves out those that it can't read.
func NewNodes(env []json.RawMessage) Nodes {
	var n Nodes
	for _, line := range env {
		var one node
		if json.Unmarshal(line, &one) == nil && one.Name != "" {
			n.list = append(n.list, one)
		}
	}
	return n
}

// generation is the generation of the DPU of a point: of the node that it ran on, or of the cards
// on its path, or of all DPUs of its testbed. It is "" if unknown, or if there are several.
func (n Nodes) generation(p *results.Point) string {
	var found []string
	add := func(g string) {
		if g != "" && !strings.Contains(strings.Join(found, " "), g) {
			found = append(found, g)
		}
	}
	add(p.ServerNode.Generation)
	for i := range p.Clients {
		add(p.Clients[i].Generation)
	}
	for _, c := range p.Cards {
		add(c.Generation)
	}
	if found == nil {
		for _, one := range n.list {
			if one.Source == p.Source {
				add(one.Generation)
			}
		}
	}
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

// ofNode is the generation of the node that a point of one machine ran on; "" of a host.
func (n Nodes) ofNode(p *results.Point) string {
	if p.ServerNode.Node == p.Placement {
		return p.ServerNode.Generation
	}
	for _, one := range n.list {
		if one.Name == p.Placement && one.Source == p.Source {
			return one.Generation
		}
	}
	return ""
}

// generationTitle writes bf2 as BF-2.
func generationTitle(generation string) string {
	if rest, ok := strings.CutPrefix(generation, "bf"); ok {
		return "BF-" + rest
	}
	return generation
}
