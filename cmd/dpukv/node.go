package main

import (
	"github.com/spf13/cobra"

	"dpukv/internal/foreign"
	"dpukv/placement/node"
)

// newNodeCommand is what the orchestrator starts on a node. It is of no use to people, who would have
// to type JSON.
func newNodeCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "node",
		Short:  "Be a server or a client, as told in JSON lines on stdin",
		Hidden: true,
		Args:   exactArgs(0, "arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return node.Run(cmd.Context(), cmd.InOrStdin(), foreign.Raw(cmd.OutOrStdout()), version)
		},
	}
}
