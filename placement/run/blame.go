package run

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"dpukv/placement/node"
	"dpukv/placement/testbed"
)

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
