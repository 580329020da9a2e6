package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"dpukv/internal/outfile"
	"dpukv/placement/cardreport"
	"dpukv/placement/testbed"
	"dpukv/placement/testbedcheck"
)

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
		Example: `  dpukv card-report testbed.yaml
  dpukv card-report --here --out card.tar.gz`,
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
	flags.BoolVar(&f.here, "here", false, "report of this machine instead of a testbed's nodes")
	flags.BoolVar(&f.redact, "redact", true, "replacement of what identifies machines")
	flags.StringVar(&f.out, "out", "card-report.tar.gz", "file of the archive")
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
