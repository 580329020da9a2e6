package launch

import (
	"slices"
	"strings"
)

// Failures are errors of several nodes. Nodes that fail for one cause share an entry.
type Failures struct{ list []Failure }

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
	i := slices.IndexFunc(f.list, func(other Failure) bool { return other.Cause == cause })
	if i < 0 {
		f.list = append(f.list, Failure{[]string{node}, cause})
		return
	}
	f.list[i].Nodes = append(f.list[i].Nodes, node)
}

// List returns the causes in the order of their first nodes.
func (f *Failures) List() []Failure { return f.list }

// String names the nodes, then the cause.
func (f Failure) String() string { return NodesText(f.Nodes) + ": " + f.Cause }

// NodesText names nodes: "node a", or "nodes a, b".
func NodesText(names []string) string {
	if len(names) == 1 {
		return "node " + names[0]
	}
	return "nodes " + strings.Join(names, ", ")
}
