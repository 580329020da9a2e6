package main

import (
	"context"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"dpukv/placement/submode"
	"dpukv/placement/submode/packetfilter"
	"dpukv/placement/submodetool"
	"dpukv/placement/testbed"
)

func newSubmodeCommand() *cobra.Command {
	return newGroupCommand("submode",
		"Show, set up, prove and undo a DPU's on-path datapath by hand",
		`Do by hand, on one DPU, what a sweep does for its submodes: show the commands, run them, prove that
packets take the datapath, undo everything. The submodes are 1 to 5, as in the study.

For a testbed with "via: netns", apply makes the machines. They stay until undo with the same
testbed file. While apply, undo or verify runs, the file is locked.

The ssh connection of a card may take the path that changes. There, use apply --for 5m: a process on
the card undoes everything after that time, even if nobody reaches the card.

No command here changes firmware settings or power-cycles a machine. Where that is needed, the
output names it.`,
		newSubmodeStep("plan",
			"Print the commands that apply, verify and undo would run, and run none",
			func(s *submodetool.Tool, _ context.Context, w io.Writer) error { return s.Plan(w) }),
		newSubmodeStep("apply",
			"Set up the datapath and leave it; an earlier apply is undone first",
			(*submodetool.Tool).Apply),
		newSubmodeStep("verify",
			"Check that the datapath is up, and prove that pings between the hosts take it",
			(*submodetool.Tool).Verify),
		newSubmodeStep("undo", "Remove the datapath, and what any killed apply left behind",
			(*submodetool.Tool).Undo),
	)
}

type submodeFlags struct {
	testbed, node, datapath string
	filter                  []string
	undoAfter               time.Duration
}

func newSubmodeStep(
	use, short string, do func(*submodetool.Tool, context.Context, io.Writer) error,
) *cobra.Command {
	var f submodeFlags
	cmd := &cobra.Command{
		Use: use + " N", Short: short, Long: short + ". N is the submode, 1 to 5.",
		Args:    exactArgs(1, "submode (1 to 5)"),
		Example: "  dpukv testbed submode " + use + " 1 --testbed testbed.yaml",
		RunE: func(cmd *cobra.Command, args []string) error {
			tool, err := f.tool(cmd.Context(), args[0])
			if err != nil {
				return usagef("%s: %w", cmd.CommandPath(), err)
			}
			return do(tool, cmd.Context(), cmd.OutOrStdout())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.testbed, "testbed", "", "testbed file with the DPU's node (required)")
	flags.StringVar(&f.node, "node", "", "node of the DPU (default: that of the server side's "+
		"host)")
	flags.StringVar(&f.datapath, "datapath", "",
		"datapath that forwards (default: the testbed's, else the first that the node has)")
	flags.StringArrayVar(&f.filter, "filter", nil,
		"work on the path: "+packetfilter.Words+", or repeat the flag")
	if use == "apply" || use == "plan" {
		flags.DurationVar(&f.undoAfter, "for", 0,
			"time after which the DPU undoes it by itself, such as 5m (default: only undo does)")
	}
	return cmd
}

func (f *submodeFlags) tool(ctx context.Context, name string) (*submodetool.Tool, error) {
	if f.testbed == "" {
		return nil, usagef("--testbed: found none; give the file that has the DPU's node (dpukv " +
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
	if name, err = submodeName(name); err != nil {
		return nil, err
	}
	return submodetool.New(submodetool.Options{
		Testbed: bed, Submode: name, Node: f.node, Datapath: f.datapath, Filter: work,
		Command: self, UndoAfter: f.undoAfter,
	})
}

// submodeName reads the number of an on-path submode, or its name.
func submodeName(text string) (string, error) {
	for _, name := range []string{text, "sm" + text} {
		if slices.Contains(submode.Names(), name) && submode.OnPath(name) {
			return name, nil
		}
	}
	return "", usagef("submode: found %q, allowed: 1 to 5", text)
}
