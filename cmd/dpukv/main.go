package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"dpukv/internal/foreign"
)

// Exit statuses. Scripts rely on them.
const (
	exitFine      = 0
	exitFailed    = 1 // measured, but something failed; with --fail-if: a threshold is broken
	exitUsage     = 2
	exitNoVerdict = 3   // compare, --fail-if: nothing could be decided
	exitSignal    = 128 // and the number of the signal that ended the command
)

// The limits of stderr on one line, and on all lines of an error.
const (
	maxStderrLine = 8 << 10
	maxError      = 64 << 10
)

func main() { os.Exit(execute(os.Args[1:])) }

func execute(args []string) int {
	stderr := foreign.NewWriter(os.Stderr, maxStderrLine)
	ctx, stop := untilSignal(stderr)
	defer stop()
	root := newRootCommand()
	// No text of other parties may reach a terminal unescaped, whichever code prints it.
	root.SetOut(foreign.NewWriter(os.Stdout, 0))
	root.SetErr(stderr)
	root.SetArgs(commandNow(args, stderr))
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitFine
	}
	fmt.Fprintln(stderr, foreign.Clip(named(err), maxError))
	ended, signalled := interruption(ctx)
	switch {
	case signalled:
		return ended.status()
	case errors.As(err, new(usageError)):
		return exitUsage
	case errors.As(err, new(noVerdictError)):
		return exitNoVerdict
	}
	return exitFailed
}

// named is the text of an error with the program's name before it, once.
func named(err error) string {
	if text := err.Error(); strings.HasPrefix(text, "dpukv ") {
		return text
	}
	return "dpukv: " + err.Error()
}

func init() { cobra.EnableCommandSorting = false } // help has the order of newRootCommand

func newRootCommand() *cobra.Command {
	root := newGroupCommand("dpukv",
		"Measure where a key-value store belongs on machines with DPUs",
		`dpukv runs key-value stores and their load clients on hosts and DPUs. It draws latency over
throughput.

Start with "dpukv sweep --quick": it measures MICA over TCP on this machine.

Exit status: 0 if all is fine, 1 if something failed, 2 for a mistake in the command, 3 if compare or
--fail-if decides nothing. After a signal it is 128 and the signal's number: 130 after Ctrl-C, 143
after SIGTERM, 129 after a hang-up. A server that a signal ends in order has 0.`)
	root.Version = version // for the flag --version
	root.SetVersionTemplate(versionText())
	root.SilenceUsage, root.SilenceErrors = true, true
	root.SetFlagErrorFunc(flagError)
	addGroup(root, "Measure", newSweepCommand(), newLoadCommand(), newServeCommand(),
		newTraceCommand(), newHashCommand(), newProbeCommand())
	addGroup(root, "Read", newAnswerCommand(), newReportCommand(), newPlotCommand(),
		newCompareCommand(), newRunCommand())
	addGroup(root, "Machines", newTestbedCommand(), newDoctorCommand())
	root.AddCommand(newVersionCommand(), newNodeCommand(), newLabCommand(), newRedirectCommand(),
		newUndoAfterCommand(), newRehearsalToolCommand())
	for _, make := range taggedCommands {
		root.AddCommand(make())
	}
	return root
}

// addGroup adds commands that help shows together.
func addGroup(root *cobra.Command, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title + ":"})
	for _, cmd := range commands {
		cmd.GroupID = title
	}
	root.AddCommand(commands...)
}

// taggedCommands are the commands of files behind a build tag.
var taggedCommands []func() *cobra.Command
