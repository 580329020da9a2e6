package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"dpukv/internal/foreign"
)

// Exit statuses. Scripts rely on them.
const (
	exitFine      = 0
	exitFailed    = 1 // measured, but something failed; with --fail-if: a threshold is broken
	exitUsage     = 2
	exitNoVerdict = 3 // compare, --fail-if: nothing could be decided
)

// The limits of stderr on one line, and on all lines of an error.
const (
	maxStderrLine = 8 << 10
	maxError      = 64 << 10
)

func main() { os.Exit(execute(os.Args[1:])) }

func execute(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	root := newRootCommand()
	root.SetArgs(args)
	// No text of other parties may reach a terminal unescaped, whichever code prints it.
	root.SetOut(foreign.NewWriter(os.Stdout, 0))
	stderr := foreign.NewWriter(os.Stderr, maxStderrLine)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitFine
	}
	fmt.Fprintln(stderr, "dpukv:", foreign.Clip(err.Error(), maxError))
	switch {
	case errors.As(err, new(usageError)):
		return exitUsage
	case errors.As(err, new(noVerdictError)):
		return exitNoVerdict
	}
	return exitFailed
}

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "dpukv",
		Short: "Measure where a key-value store belongs on machines with DPUs",
		Long: `dpukv runs key-value stores and their load clients on hosts and DPUs. It draws latency over
throughput.

Start with "dpukv sweep": it measures MICA over TCP on this machine.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          helpOfGroup,
		Args:          cobra.ArbitraryArgs,
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w%s; see %s --help", err, flagHint(cmd, err), cmd.CommandPath())
	})
	root.AddCommand(
		newServeCommand(), newLoadCommand(), newSweepCommand(), newSearchCommand(),
		newTestbedCommand(),
		newSubmodeCommand(), newNodeCommand(), newLabCommand(), newRedirectCommand(),
		newUndoAfterCommand(),
		newAnswerCommand(), newPlotCommand(), newReportCommand(),
		newVerifyCommand(), newMergeCommand(),
		newCompareCommand(), newClaimsCommand(),
		newExportCommand(),
		newHashCommand(), newVerbsCommand(), newMemoryCommand(), newDMACommand(),
		newCardReportCommand(),
		newDoctorCommand(), newVersionCommand(),
	)
	for _, make := range taggedCommands {
		root.AddCommand(make())
	}
	keepFormerNames(root, formerFlags)
	return root
}

// helpOfGroup runs a command that only has subcommands.
func helpOfGroup(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknownCommand(cmd, args[0])
	}
	return cmd.Help()
}

// taggedCommands are the commands of files behind a build tag.
var taggedCommands []func() *cobra.Command
