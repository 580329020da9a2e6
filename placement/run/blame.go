package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"time"

	"dpukv/placement/node"
	"dpukv/placement/testbed"
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
	var start startError
	failed := errors.As(err, &start)
	for _, n := range nodes {
		switch {
		case slices.Contains(start.nodes, n.Name):
			f[n.Name] = nodeFailure{f[n.Name].count + 1, start.error}
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

// diagnosisTimeout bounds the search for what broke a point.
const diagnosisTimeout = 20 * time.Second

// blame prepends the cause of a broken point, where it is known: the datapath between client and
// server. The clients' own errors (no answers) only follow from it.
func blame(ctx context.Context, way *path, err error) error {
	if err == nil {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), diagnosisTimeout,
		errors.New("no answer in time"))
	defer cancel()
	if why := way.broken(ctx); why != nil {
		return fmt.Errorf("%w; so that %w", why, err)
	}
	return way.blameFilter(ctx, err)
}

// wayTo returns the way of a client's connections. attach is the address of a server that dpukv did
// not start.
func wayTo(server, client *testbed.Node, attach string) *node.Way {
	w := &node.Way{Client: client.Name, ClientAddr: client.Address, Server: server.Name}
	_, port, err := net.SplitHostPort(attach)
	switch {
	case attach != "" && err == nil:
		w.Ports = port
	case !server.Ports.Any():
		w.Ports = server.Ports.String()
	}
	return w
}
