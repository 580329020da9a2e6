package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"dpukv/placement/run"
	"dpukv/results/runfolder"
	"dpukv/results/verify"
)

func newVerifyCommand() *cobra.Command {
	options := verify.Options{Request: run.DifferFromRequest}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify RUN",
		Short: "Check that a run folder is unchanged, and that its figures follow from its counts",
		Long: `Check a run folder against itself. Throughputs and percentiles are computed anew, from the counts
and the histogram logs. The points are compared with the sweep file. The digest of each line covers
the lines before it, the sweep and the testbed, so edits show.

Who edits a folder can also compute all digests anew. --digest compares the folder with the digest
that the sweep printed at its end. No check can tell whether a machine told the truth.

The exit status is 1 if a check is wrong. A check is unknown where a folder lacks what it needs, as
those of older builds do.`,
		Example: `  dpukv verify runs/first
  dpukv verify runs/first --digest 0f343b0931126a20f133d67c2b018a3b`,
		Args: exactArgs(1, "run folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, err := runfolder.Open(args[0])
			if err != nil {
				return usagef("%w", err)
			}
			report, err := verify.Folder(folder, options)
			if err != nil {
				return err
			}
			if asJSON {
				err = json.NewEncoder(cmd.OutOrStdout()).Encode(report)
			} else {
				err = printVerified(cmd.OutOrStdout(), report)
			}
			if err == nil && report.Wrong() {
				err = errors.New(args[0] + ": something is wrong with it")
			}
			return err
		},
	}
	cmd.Flags().StringVar(&options.Expected, "digest", "",
		"digest that the sweep printed at its end")
	cmd.Flags().BoolVar(&asJSON, "json", false,
		"one JSON object: folder, digest, and checks with check, outcome (ok, wrong, unknown), "+
			"found, faults")
	return cmd
}

// maxFaults is the number of faults of a check that a terminal shows.
const maxFaults = 10

// printVerified writes a line a check, with its faults below it.
func printVerified(w io.Writer, r *verify.Report) error {
	var b strings.Builder
	for _, c := range r.Checks {
		fmt.Fprintf(&b, "%-8s %-11s %s\n", c.Outcome, c.Name, c.Found)
		for i, fault := range c.Faults {
			if i == maxFaults {
				fmt.Fprintf(&b, "%21sand %d more\n", "", len(c.Faults)-maxFaults)
				break
			}
			fmt.Fprintf(&b, "%21s%s\n", "", fault)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
