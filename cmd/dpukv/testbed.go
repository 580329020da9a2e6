package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dpukv/examples"
	"dpukv/internal/outfile"
	"dpukv/placement/cardreport"
	"dpukv/placement/submodetool"
	"dpukv/placement/testbed"
	"dpukv/placement/testbedcheck"
)

func newTestbedCommand() *cobra.Command {
	return newGroupCommand("testbed",
		"Check a testbed, write its file, and set up or examine the DPUs in it", "",
		newTestbedInitCommand(), newTestbedCheckCommand(), newCardReportCommand(),
		newSubmodeCommand(), newSudoersCommand(), newRehearseCommand())
}

func newTestbedCheckCommand() *cobra.Command {
	var card bool
	cmd := &cobra.Command{
		Use:   "check [FILE]",
		Short: "Visit every node, and report what it has and which placements can run",
		Long: `Visit every node of a testbed, or this machine if there is no file. The table lists what each
node has, and for each placement whether it can run, or why not. Machines that a sweep would make
are made, and removed again. The exit status is 1 if a node cannot be used.

With --card, each node also lists its cards with their modes (current, next boot, default), its
release, huge pages, Open vSwitch with bridges and ports, GIDs, RoCE and limits. The list says
whether ssh uses a port that a submode changes. Between nodes, dpukv tries TCP, UDP port 4791 and
pings of the full size. Each refusal has the command that mends it. Nothing is changed. Without
root, the list names what could not be read.`,
		Example: `  dpukv testbed check examples/netns.yaml
  dpukv testbed check --card testbed.yaml`,
		RunE: func(cmd *cobra.Command, args []string) error {
			file := ""
			switch len(args) {
			case 0:
			case 1:
				file = args[0]
			default:
				return usagef("%s: found %d testbed files, allowed: at most one", cmd.CommandPath(),
					len(args))
			}
			bed, err := testbed.Load(cmd.Context(), file)
			if err != nil {
				return usagef("%w", err)
			}
			if card {
				return testbedcheck.CheckCards(cmd.Context(), cmd.OutOrStdout(), bed, version)
			}
			return testbedcheck.Check(cmd.Context(), cmd.OutOrStdout(), bed, version)
		},
	}
	cmd.Flags().BoolVar(&card, "card", false,
		"look at BlueField cards: what a first measurement there needs, and what mends it")
	return cmd
}

func newTestbedInitCommand() *cobra.Command {
	kinds := testbedKinds()
	return &cobra.Command{
		Use:   "init [KIND]",
		Short: "Write a commented testbed file to start from",
		Long: "Write a commented testbed file to stdout. The kinds are " +
			strings.Join(kinds, ", ") + `:
hosts with DPUs, pods of Kubernetes, this machine alone, machines emulated on this one
(netns-onpath: with a host behind its DPU), nodes of a Slurm cluster, and hosts behind ssh.`,
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

func newSudoersCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "sudoers FILE",
		Short: "Print a sudoers file with the commands that submodes run on cards",
		Long: `Print a sudoers file for the cards of a testbed whose nodes have sudo: true. It names each command
of the submodes, their undo and their evidence, and no others. No node is visited.`,
		Example: "  dpukv testbed sudoers testbed.yaml",
		Args:    exactArgs(1, "testbed files"),
		RunE: func(cmd *cobra.Command, args []string) error {
			bed, err := testbed.Load(cmd.Context(), args[0])
			if err != nil {
				return usagef("%w", err)
			}
			return submodetool.Sudoers(cmd.OutOrStdout(), &bed, version)
		},
	}
}

func newCardReportCommand() *cobra.Command {
	var f cardReportFlags
	cmd := &cobra.Command{
		Use:   "card-report TESTBED | --here",
		Short: "Collect what BlueField cards and their hosts report, in one archive",
		Long: `Run about eighty commands on every node of a testbed, or on this machine. They change nothing. The
archive has their outputs, with each command and its exit status. It lets somebody far away find out
why a card does not do what was expected.

Unless --redact=false is given, the archive replaces ` + cardreport.Replaced + `
Read the archive before you give it away.`,
		Example: `  dpukv testbed card-report testbed.yaml
  dpukv testbed card-report --here --out card.tar.gz`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.here == (len(args) == 1) || len(args) > 1 {
				return usagef("%s: found %d testbed files and --here=%t, allowed: one file, or "+
					"--here", cmd.CommandPath(), len(args), f.here)
			}
			reports, hosts, err := f.collect(cmd.Context(), args)
			if len(reports) == 0 {
				return err
			}
			return errors.Join(err, f.write(cmd, reports, hosts))
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.here, "here", false, "report this machine instead of a testbed's nodes")
	flags.BoolVar(&f.redact, "redact", true, "replace names and addresses that identify machines")
	flags.StringVarP(&f.out, "out", "o", "card-report.tar.gz", "file of the archive")
	return cmd
}

type cardReportFlags struct {
	here, redact bool
	out          string
}

// collect returns the reports, and the names of machines to replace. A node that cannot be used is
// an error beside the reports of the others.
func (f *cardReportFlags) collect(
	ctx context.Context, args []string,
) (reports []*cardreport.Report, hosts []string, err error) {
	if f.here {
		r := cardreport.Collect(ctx)
		r.Node = "here"
		return []*cardreport.Report{r}, nil, nil
	}
	bed, err := testbed.Load(ctx, args[0])
	if err != nil {
		return nil, nil, usagef("%w", err)
	}
	for i := range bed.Nodes {
		hosts = append(hosts, bed.Nodes[i].Host)
	}
	reports, err = testbedcheck.Reports(ctx, bed, version)
	return reports, hosts, err
}

func (f *cardReportFlags) write(
	cmd *cobra.Command, reports []*cardreport.Report, hosts []string,
) error {
	if f.redact {
		redactor := cardreport.NewRedactor(hosts...)
		for i, r := range reports {
			reports[i] = redactor.Redact(r)
		}
	}
	about := cardreport.About(version, f.redact)
	err := outfile.Write(f.out, func(w io.Writer) error {
		return cardreport.Write(w, about, reports)
	})
	if err != nil {
		return err
	}
	var names []string
	for _, r := range reports {
		names = append(names, r.Node)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", f.out, strings.Join(names, ", "))
	return err
}
