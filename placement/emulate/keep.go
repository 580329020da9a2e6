package emulate

import (
	"context"

	"dpukv/placement/emulate/keeper"
)

// Keep runs the process that holds a lab: the hidden subcommand "lab". It ends, and the lab with
// it, when its standard input ends.
func Keep(ctx context.Context) error { return keeper.Run(ctx) }
