package emulate

import (
	"context"

	"dpukv/placement/emulate/keeper"
)

// Keep is the life of the process that holds a lab: the hidden subcommand "lab". It ends, and the lab with it, when
// its standard input does.
func Keep(ctx context.Context) error { return keeper.Run(ctx) }
