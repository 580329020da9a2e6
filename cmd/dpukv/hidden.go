package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"dpukv/internal/foreign"
	"dpukv/placement/emulate/keeper"
	"dpukv/placement/node"
	"dpukv/placement/submode"
	"dpukv/placement/submode/packetfilter"
	"dpukv/placement/submode/redirect"
	"dpukv/placement/submode/step"
	"dpukv/placement/submode/timer"
)

// newNodeCommand is the process that the orchestrator starts on a node.
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

// newLabCommand is the process that holds an emulated testbed for the orchestrator.
func newLabCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "lab",
		Short:  "Hold the machines of an emulated testbed, as told on stdin",
		Hidden: true,
		Args:   exactArgs(0, "arguments"),
		RunE:   func(cmd *cobra.Command, _ []string) error { return keeper.Run(cmd.Context()) },
	}
}

// newRedirectCommand is the process that a submode starts on a DPU.
func newRedirectCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "redirect", Short: "Forward between two interfaces by eBPF",
		Hidden: true, Args: cobra.NoArgs,
	}
	var words []string
	attach := &cobra.Command{
		Use: "attach A B", Args: exactArgs(2, "interfaces"),
		RunE: func(_ *cobra.Command, args []string) error {
			f, err := packetfilter.Parse(words)
			if err != nil {
				return usagef("redirect attach: --%w", err)
			}
			return redirect.Attach(args[0], args[1], &f, submode.Requests())
		},
	}
	attach.Flags().StringArrayVar(&words, "filter", nil,
		"work on the path: "+packetfilter.Words+", or repeat the flag")
	detach := &cobra.Command{
		Use: "detach INTERFACE...", Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) (err error) {
			for _, name := range args {
				err = errors.Join(err, redirect.Detach(name))
			}
			return err
		},
	}
	count := &cobra.Command{
		Use: "count INTERFACE...", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			counts := map[string]redirect.Counts{}
			for _, name := range args {
				if counts[name], err = redirect.Count(name, submode.Requests()); err != nil {
					return err
				}
			}
			return json.NewEncoder(cmd.OutOrStdout()).Encode(counts)
		},
	}
	try := &cobra.Command{
		Use: "try", Args: cobra.NoArgs, Short: "Attach to the loopback interface and detach again",
		RunE: func(*cobra.Command, []string) error {
			return errors.Join(
				redirect.Attach("lo", "lo", &packetfilter.Filter{}, submode.Requests()),
				redirect.Detach("lo"))
		},
	}
	cmd.AddCommand(attach, detach, count, try)
	return cmd
}

// newUndoAfterCommand is the timer that "submode apply --for" starts on a DPU.
func newUndoAfterCommand() *cobra.Command {
	var o timer.Options
	var wait bool
	cmd := &cobra.Command{
		Use: timer.Subcommand, Short: "Undo a submode after a time",
		Hidden: true, Args: exactArgs(0, "arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !wait {
				self, err := os.Executable()
				if err != nil {
					return err
				}
				return timer.Start(cmd.Context(), self, o, o.Target == submode.BlueField)
			}
			here := step.Via("this node", func(argv []string) ([]string, error) {
				return argv, nil
			})
			return timer.Wait(cmd.Context(), o, func(ctx context.Context) error {
				_, err := submode.Undo(ctx, here, o.Target)
				return err
			})
		},
	}
	cmd.Flags().DurationVar(&o.For, "for", 0, "the time")
	cmd.Flags().StringVar(&o.Target, "target", "", "of the submode")
	cmd.Flags().StringVar(&o.Folder, "folder", "", "of what is to be undone")
	cmd.Flags().BoolVar(&wait, "wait", false, "be the timer, instead of starting it")
	return cmd
}
