package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dpukv/placement/cardreport"
	"dpukv/placement/rehearsal"
	"dpukv/placement/submode"
	"dpukv/placement/submodetool"
	"dpukv/placement/testbed"
	"dpukv/placement/testbedcheck"
)

func newRehearseCommand() *cobra.Command {
	var release string
	var names []string
	cmd := &cobra.Command{
		Use:   "rehearse",
		Short: "Play a first day with BlueField cards on emulated tools, without a card",
		Long: `Play the commands of a first day with cards (docs/tasks/bluefield.md) on this machine: the check of
the cards, each submode with its evidence and its undo, and a card report. Hosts and card are
namespaces, and the card's tools are emulated. They print what a release prints, as far as that is
known. Packets, Open vSwitch and DPDK are real. Nothing real is touched, no result is kept, and
nothing here tells how a card behaves.

It needs root, openvswitch-switch-dpdk and dpdk. The exit status is 1 if a command fails.`,
		Example: "  dpukv testbed rehearse --release doca-3.5",
		Args:    exactArgs(0, "arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return rehearse(cmd.Context(), cmd.OutOrStdout(), release, names)
		},
	}
	cmd.Flags().StringVar(&release, "release", "doca-2.9",
		"release whose outputs the tools print: "+strings.Join(rehearsal.Releases(), ", "))
	cmd.Flags().StringSliceVar(&names, "submode", []string{"1", "2", "3", "4", "5"},
		"submodes to play")
	return cmd
}

// newRehearsalToolCommand is a tool of the emulated card.
func newRehearsalToolCommand() *cobra.Command {
	return &cobra.Command{
		Use: rehearsal.Subcommand, Short: "Be a tool of an emulated card",
		Hidden: true, DisableFlagParsing: true, Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return rehearsal.Tool(args[0], args[1:])
		},
	}
}

// rehearse plays the day. Each command is written before its output.
func rehearse(ctx context.Context, w io.Writer, release string, names []string) (err error) {
	if len(names) == 0 {
		names = []string{""}
	}
	for i, text := range names {
		if names[i], err = submodeName(text); err != nil {
			return err
		}
	}
	if err := rehearsal.Ready(release); err != nil {
		return usagef("%w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "REHEARSAL with outputs of %s. No card is here: hosts, card and its tools are "+
		"emulated, and nothing real is touched.\n", release)
	c, err := rehearsal.Start(ctx, self, release)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	bed, clean, err := rehearsedTestbed(ctx, c)
	if err != nil {
		return err
	}
	defer clean()
	play := func(command string, run func() error) error {
		fmt.Fprintf(w, "\n$ dpukv testbed %s\n", command)
		if err := run(); err != nil {
			return fmt.Errorf("rehearsed: dpukv testbed %s: %w", command, err)
		}
		return nil
	}
	steps := []func() error{func() error {
		return play("check --card testbed.yaml", func() error {
			return testbedcheck.CheckCards(ctx, w, bed, version)
		})
	}}
	for _, name := range names {
		steps = append(steps, func() error {
			return rehearseSubmode(ctx, w, bed, name, self, play)
		})
	}
	steps = append(steps, func() error {
		return play("card-report testbed.yaml", func() error { return rehearseReport(ctx, w, bed) })
	})
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(w, "\nREHEARSED: all commands did their work on emulated tools. What "+
		"only a card can show is in docs/tasks/bluefield.md.\n")
	return err
}

// rehearsedTestbed makes the testbed and the ssh that reaches its machines.
func rehearsedTestbed(
	ctx context.Context, c *rehearsal.Card,
) (bed testbed.Testbed, clean func(), err error) {
	dir, err := os.MkdirTemp("", "dpukv-rehearsal-")
	if err != nil {
		return bed, nil, err
	}
	path := os.Getenv("PATH")
	clean = func() { _ = os.Setenv("PATH", path); _ = os.RemoveAll(dir) }
	text, err := c.Testbed(ctx)
	if err == nil {
		err = errors.Join(c.SSH(dir), os.Setenv("PATH", dir+":"+path))
	}
	file := filepath.Join(dir, "testbed.yaml")
	if err == nil {
		err = os.WriteFile(file, []byte(text), 0o600)
	}
	if err == nil {
		bed, err = testbed.Load(ctx, file)
	}
	if err != nil {
		clean()
	}
	return bed, clean, err
}

func rehearseSubmode(
	ctx context.Context, w io.Writer, bed testbed.Testbed, name, self string,
	play func(string, func() error) error,
) error {
	for _, datapath := range submode.Datapaths(submode.BlueField, name) {
		tool, err := submodetool.New(submodetool.Options{
			Testbed: bed, Submode: name, Datapath: datapath, Command: self,
			UndoAfter: 5 * time.Minute,
		})
		if err != nil {
			return err
		}
		flag := fmt.Sprintf("%s --datapath %s --testbed testbed.yaml",
			strings.TrimPrefix(name, "sm"), datapath)
		err = play("submode apply "+flag+" --for 5m", func() error { return tool.Apply(ctx, w) })
		if err == nil {
			err = play("submode verify "+flag, func() error { return tool.Verify(ctx, w) })
		}
		undone := play("submode undo "+flag, func() error {
			return tool.Undo(context.WithoutCancel(ctx), w)
		})
		if err = errors.Join(err, undone); err != nil {
			return err
		}
	}
	return nil
}

// rehearseReport writes a report and drops it: one of emulated tools must not look like a card's.
func rehearseReport(ctx context.Context, w io.Writer, bed testbed.Testbed) error {
	reports, err := testbedcheck.Reports(ctx, bed, version)
	if err != nil {
		return err
	}
	redactor := cardreport.NewRedactor("a", "b", "d")
	for i, r := range reports {
		reports[i] = redactor.Redact(r)
	}
	if err := cardreport.Write(io.Discard, cardreport.About(version, true), reports); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%d nodes reported (a rehearsal keeps no archive)\n", len(reports))
	return err
}
