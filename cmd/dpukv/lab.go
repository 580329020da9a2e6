package main

import (
	"github.com/spf13/cobra"

	"dpukv/placement/emulate"
)

// newLabCommand is the process that holds an emulated testbed for the orchestrator that started it.
func newLabCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "lab",
		Short:  "Hold the machines of an emulated testbed, as told on stdin",
		Hidden: true,
		Args:   exactArgs(0, "arguments"),
		RunE:   func(cmd *cobra.Command, _ []string) error { return emulate.Keep(cmd.Context()) },
	}
}
