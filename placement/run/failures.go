package run

import (
	"errors"
	"maps"
	"slices"

	"dpukv/placement/testbed"
	"dpukv/placement/trial"
)

// sameFailures is the number of consecutive points for which a node may fail to start. After them,
// the sweep tries no point that needs the node.
const sameFailures = 3

// nodeFailures are the consecutive failures to start, by node.
type nodeFailures map[string]nodeFailure

type nodeFailure struct {
	count  int
	reason error
}

// note counts the outcome of a point for its nodes. The error is the point's.
func (f nodeFailures) note(nodes []*testbed.Node, err error) {
	var start trial.StartError
	failed := errors.As(err, &start)
	for _, n := range nodes {
		switch {
		case slices.Contains(start.Nodes, n.Name):
			f[n.Name] = nodeFailure{f[n.Name].count + 1, start.Err}
		case !failed: // else nobody may have waited for the node
			delete(f, n.Name)
		}
	}
}

// givenUp returns the first of the nodes that was given up; "" if there is none.
func (f nodeFailures) givenUp(nodes []*testbed.Node) string {
	for _, n := range nodes {
		if f[n.Name].count >= sameFailures {
			return n.Name
		}
	}
	return ""
}

// reasons lists why nodes were given up, each reason once.
func (f nodeFailures) reasons() []string {
	var reasons []string
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if f[name].count >= sameFailures {
			reasons = append(reasons, f[name].reason.Error())
		}
	}
	return slices.Compact(reasons)
}
