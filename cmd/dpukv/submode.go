package main

import (
	"context"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"dpukv/placement/submode/packetfilter"
	"dpukv/placement/submodetool"
	"dpukv/placement/testbed"
)

func newSubmodeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "submode",
		Short: "Show, set up, prove and take back a DPU's on-path datapath by hand",
		Long: `Do by hand, on one DPU, what a sweep does for its submodes: show the commands, run them, prove that
packets take the datapath, take everything back. The submodes are 1 to 5, as in the study. Machines that a sweep would
make for itself (via: netns) are made by apply, and stay until undo with the same testbed file, which is locked while apply,
undo or verify is at work. Nothing here changes firmware settings or wants a power cycle: where that is needed, it says so.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("unknown command %q; see %s --help", args[0], cmd.CommandPath())
			}
			return cmd.Help()
		},
		Args: cobra.ArbitraryArgs,
	}
	cmd.AddCommand(
		newSubmodeStep("plan",
			"Print the commands that apply, verify and undo would run, and run none",
			func(_ context.Context, s *submodetool.Tool, w io.Writer) error { return s.Plan(w) }),
		newSubmodeStep("apply",
			"Set the datapath up and leave it; what an earlier apply left is taken back first",
			func(ctx context.Context, s *submodetool.Tool, w io.Writer) error {
				return s.Apply(ctx, w)
			}),
		newSubmodeStep("verify",
			"Check that the datapath is up, and prove that pings between the hosts take it",
			func(ctx context.Context, s *submodetool.Tool, w io.Writer) error {
				return s.Verify(ctx, w)
			}),
		newSubmodeStep("undo", "Take back whatever is applied",
			func(ctx context.Context, s *submodetool.Tool, w io.Writer) error {
				return s.Undo(ctx, w)
			}),
	)
	return cmd
}

type submodeFlags struct {
	testbed, node, datapath string
	filter                  []string
}

func newSubmodeStep(
	use, short string, do func(context.Context, *submodetool.Tool, io.Writer) error,
) *cobra.Command {
	var f submodeFlags
	cmd := &cobra.Command{
		Use: use + " N", Short: short, Args: exactArgs(1, "submode (1 to 5)"),
		Example: "  dpukv submode " + use + " 1 --testbed testbed.yaml",
		RunE: func(cmd *cobra.Command, args []string) error {
			tool, err := f.tool(cmd.Context(), args[0])
			if err != nil {
				return usagef("%s: %w", cmd.CommandPath(), err)
			}
			return do(cmd.Context(), tool, cmd.OutOrStdout())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.testbed, "testbed", "", "testbed file, with the DPU's node (required)")
	flags.StringVar(&f.node, "node", "", "the DPU (default: that of the server side's host)")
	flags.StringVar(&f.datapath, "datapath", "",
		"what is to forward (default: the testbed's, else the first that the node has)")
	flags.StringArrayVar(&f.filter, "filter", nil,
		"work on the path: "+packetfilter.Words+" (may be repeated)")
	return cmd
}

func (f *submodeFlags) tool(ctx context.Context, name string) (*submodetool.Tool, error) {
	if f.testbed == "" {
		return nil, usagef("--testbed is required: the file that has the DPU's node (dpukv " +
			"testbed init writes one)")
	}
	bed, err := testbed.Load(ctx, f.testbed)
	if err != nil {
		return nil, err
	}
	work, err := packetfilter.Parse(f.filter)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(name, "sm") && len(name) == 1 {
		name = "sm" + name
	}
	return submodetool.New(submodetool.Options{
		Testbed: bed, Submode: name, Node: f.node, Datapath: f.datapath, Filter: work,
		Command: self,
	})
}
