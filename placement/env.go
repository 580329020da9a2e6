package placement

import "dpukv/internal/machine"

// nodeEnv is a node's line in env.jsonl.
type nodeEnv struct {
	Node       string `json:"node"`
	Kind       string `json:"kind"`
	Of         string `json:"of,omitempty"`
	Generation string `json:"generation,omitempty"`
	Via        string `json:"via"`
	Version    string `json:"version"` // of the dpukv there
	Build      string `json:"build"`
	machine.Facts
}

// meet notes what a node said of itself.
func (r *runner) meet(n *Node, h *hello) {
	r.met[n.Name] = nodeEnv{
		Node: n.Name, Kind: n.Kind, Of: n.Of, Generation: n.Generation, Via: n.Via,
		Version: h.Version, Build: h.Build, Facts: h.Machine,
	}
}
