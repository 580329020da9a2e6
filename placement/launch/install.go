package launch

import (
	"context"
	"errors"
)

// Install makes dpukv be on the node and returns its path there. On this machine, and where the
// node says where it is, there is nothing to do.
func Install(ctx context.Context, n *Node, b Binaries) (path string, err error) {
	return "", errors.New("not yet")
}

// Output runs argv on the node to its end, and returns what it wrote to stdout.
func Output(ctx context.Context, n *Node, argv ...string) ([]byte, error) {
	return nil, errors.New("not yet")
}
