package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
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
	// No text of other parties may reach a terminal unescaped, whichever code prints it.
	root.SetOut(foreign.NewWriter(os.Stdout, 0))
	stderr := foreign.NewWriter(os.Stderr, maxStderrLine)
	root.SetErr(stderr)
	root.SetArgs(commandNow(args, stderr))
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitFine
	}
	fmt.Fprintln(stderr, foreign.Clip(named(err), maxError))
	switch {
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

Start with "dpukv sweep --quick": it measures MICA over TCP on this machine.`)
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
