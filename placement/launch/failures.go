package launch

import (
	"slices"
	"strings"
)

// Failures are errors of several nodes, in the order of the first node of each cause. Nodes that
// fail for one cause share an entry.
type Failures []Failure

// Failure is one cause, with all nodes that it affects.
type Failure struct {
	Nodes []string
	Cause string
}

// Add adds the error of a node, which begins with the node's name. It ignores nil.
func (f *Failures) Add(node string, err error) {
	if err == nil {
		return
	}
	cause := strings.TrimPrefix(err.Error(), "node "+node+": ")
	i := slices.IndexFunc(*f, func(other Failure) bool { return other.Cause == cause })
	if i < 0 {
		*f = append(*f, Failure{[]string{node}, cause})
		return
	}
	(*f)[i].Nodes = append((*f)[i].Nodes, node)
}

// String names the nodes, then the cause.
func (f Failure) String() string { return NodesText(f.Nodes) + ": " + f.Cause }

// NodesText names nodes: "node a", or "nodes a, b".
func NodesText(names []string) string {
	if len(names) == 1 {
		return "node " + names[0]
	}
	return "nodes " + strings.Join(names, ", ")
}
