// The subcommand "lab" of dpukv alone, for tests.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"dpukv/placement/emulate"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := emulate.Keep(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
