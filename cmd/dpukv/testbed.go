package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dpukv/examples"
	"dpukv/placement/testbed"
	"dpukv/placement/testbedcheck"
)

func newTestbedCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "testbed",
		Short: "Look at a testbed, or write a file that describes one",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("unknown command %q; see %s --help", args[0], cmd.CommandPath())
			}
			return cmd.Help()
		},
		Args: cobra.ArbitraryArgs,
	}
	cmd.AddCommand(newTestbedCheckCommand(), newTestbedInitCommand())
	return cmd
}

func newTestbedCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check [FILE]",
		Short: "Visit every node, and tell what it has and which placements can run",
		Long: `Visit every node of a testbed (this machine, without a file) and write a table: what each node has, and for
each placement whether it can run, or why not. Machines that a sweep would make are made and taken away again.
Exit status 1 if a node cannot be used.`,
		Example: "  dpukv testbed check examples/netns.yaml",
		RunE: func(cmd *cobra.Command, args []string) error {
			file := ""
			switch len(args) {
			case 0:
			case 1:
				file = args[0]
			default:
				return usagef("%s wants one testbed file at most, got %d", cmd.CommandPath(),
					len(args))
			}
			bed, err := testbed.Load(cmd.Context(), file)
			if err != nil {
				return usagef("%w", err)
			}
			return testbedcheck.Check(cmd.Context(), cmd.OutOrStdout(), bed, version)
		},
	}
}

func newTestbedInitCommand() *cobra.Command {
	kinds := testbedKinds()
	return &cobra.Command{
		Use:   "init [KIND]",
		Short: "Write a commented testbed file to start from, to stdout",
		Long: "Write a commented testbed file to stdout. The kinds are " +
			strings.Join(kinds, ", ") + `:
hosts with DPUs, this machine alone, machines emulated on this one (netns-onpath: with a host behind its DPU), and nodes of a Slurm cluster.`,
		Example: "  dpukv testbed init bluefield > testbed.yaml",
		RunE: func(cmd *cobra.Command, args []string) error {
			kind := "bluefield"
			if len(args) > 0 {
				kind = args[0]
			}
			if len(args) > 1 || !slices.Contains(kinds, kind) {
				return usagef("%s: found %q, allowed: one of %s", cmd.CommandPath(),
					strings.Join(args, " "), strings.Join(kinds, ", "))
			}
			text, err := examples.Testbeds.ReadFile(kind + ".yaml")
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(cmd.OutOrStdout(), string(text))
			return err
		},
	}
}

// testbedKinds are the names of the examples.
func testbedKinds() []string {
	files, err := examples.Testbeds.ReadDir(".")
	if err != nil {
		panic(err) // it is built in
	}
	var kinds []string
	for _, f := range files {
		kinds = append(kinds, strings.TrimSuffix(f.Name(), ".yaml"))
	}
	return kinds
}
