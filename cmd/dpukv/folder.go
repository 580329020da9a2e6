package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"dpukv/internal/foreign"
	"dpukv/internal/outfile"
	"dpukv/placement/run"
	"dpukv/results/export"
	"dpukv/results/merge"
	"dpukv/results/runfolder"
	"dpukv/results/verify"
)

func newRunCommand() *cobra.Command {
	return newGroupCommand("run", "Check, join, export and judge run folders",
		`Check, join and export run folders, and compare them with the findings of papers.`,
		newVerifyCommand(), newMergeCommand(), newExportCommand(), newClaimsCommand())
}

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
		Example: `  dpukv run verify runs/first
  dpukv run verify runs/first --digest 0f343b0931126a20f133d67c2b018a3b`,
		Args: exactArgs(1, "run folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, err := openRun(args[0])
			if err != nil {
				return err
			}
			report, err := verify.Folder(folder, options)
			if err != nil {
				return err
			}
			err = show(cmd, asJSON, report, func(w io.Writer) error {
				return printVerified(w, report)
			})
			if err == nil && report.Wrong() {
				err = errors.New(args[0] + ": something is wrong with it")
			}
			return err
		},
	}
	cmd.Flags().StringVar(&options.Expected, "digest", "",
		"digest that the sweep printed at its end")
	cmd.Flags().BoolVar(&asJSON, "json", false,
		"print one JSON object: folder, digest, and checks with check, outcome (ok, wrong, "+
			"unknown), found, faults")
	return cmd
}

// maxFaults is the number of faults of a check that a terminal shows.
const maxFaults = 10

// printVerified writes a line a check, with its faults below it.
func printVerified(w io.Writer, r *verify.Report) error {
	var b strings.Builder
	for _, c := range r.Checks {
		fmt.Fprintf(&b, "%-8s %-11s %s\n", c.Outcome, c.Name, foreign.Line(c.Found))
		for i, fault := range c.Faults {
			if i == maxFaults {
				fmt.Fprintf(&b, "%21sand %d more\n", "", len(c.Faults)-maxFaults)
				break
			}
			fmt.Fprintf(&b, "%21s%s\n", "", foreign.Line(fault))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func newMergeCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "merge RUN...",
		Short: "Make one run folder of several, such as those of several machines",
		Long: `Write a new run folder with all points of the given ones, their histogram logs, the facts of their
machines, and their sweep and testbed files. The other commands read it like any run folder. Points
of two machines stay apart: they are no repeats of each other.

Points with one ID and other content are all kept: the second becomes ID~2. Copies of a point become
one. The new folder notes the digest of each source. Changed lines in a source are named on stderr,
and the exit status is 1.

No sweep continues a merged folder. Continue its sources, and merge again.`,
		Example: `  dpukv run merge runs/alice runs/bob --out runs/both
  dpukv report runs/both`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usagef("%s: found %d, allowed: 2 or more run folders", cmd.CommandPath(),
					len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return usagef("--out: found nothing, allowed: a new folder")
			}
			summary, err := mergeRuns(cmd, args, out)
			if err != nil {
				return err
			}
			if err := printMerged(cmd.OutOrStdout(), out, summary); err != nil {
				return err
			}
			if len(summary.Warnings) > 0 {
				return fmt.Errorf("%s: it has all that the sources have; they are not as their "+
					"sweeps wrote them", out)
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "new folder to write")
	return cmd
}

// mergeRuns merges run folders, and names what is wrong with them on stderr.
func mergeRuns(cmd *cobra.Command, dirs []string, out string) (*merge.Summary, error) {
	var runs []*runfolder.Run
	for _, dir := range dirs {
		folder, err := openRun(dir)
		if err != nil {
			return nil, err
		}
		runs = append(runs, folder)
	}
	summary, err := merge.Folders(out, runs)
	if errors.As(err, new(merge.Refused)) {
		return nil, usagef("%w", err)
	}
	if err != nil {
		return nil, err
	}
	for _, warning := range summary.Warnings {
		fmt.Fprintln(cmd.ErrOrStderr(), foreign.Line(warning))
	}
	return summary, nil
}

// printMerged writes a line a source, and what became of points with the same ID.
func printMerged(w io.Writer, out string, s *merge.Summary) error {
	var b strings.Builder
	for i := range s.Sources {
		of := &s.Sources[i]
		fmt.Fprintf(&b, "%d  %s: %d points, digest %s, chain %s\n", i+1, of.Folder, of.Points,
			of.Digest, of.Chain)
	}
	fmt.Fprintf(&b, "%s: %d points", out, s.Points)
	if n := len(s.Renamed); n > 0 {
		fmt.Fprintf(&b, ", %d of them with the ID of another: %s", n, s.Renamed[0])
		if n > 1 {
			b.WriteString(" …")
		}
	}
	if s.Copies > 0 {
		fmt.Fprintf(&b, "; %d copies are there once", s.Copies)
	}
	b.WriteString("\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// withRun hands a run folder to use: the single one that is named, or a temporary one that is
// merged from all.
func withRun(cmd *cobra.Command, dirs []string, use func(*runfolder.Run) error) error {
	if len(dirs) == 1 {
		folder, err := openRun(dirs[0])
		if err != nil {
			return err
		}
		return use(folder)
	}
	temporary, err := os.MkdirTemp("", "dpukv-merge-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	out := filepath.Join(temporary, "run")
	if _, err := mergeRuns(cmd, dirs, out); err != nil {
		return err
	}
	folder, err := runfolder.Open(out)
	if err != nil {
		return err
	}
	return use(folder)
}

func newExportCommand() *cobra.Command {
	var format, out string
	cmd := &cobra.Command{
		Use:   "export RUN",
		Short: "Write a run's points for benchstat, pandas or DuckDB",
		Long: `Write the points of run folder RUN to stdout or a file. The formats csv and parquet have a row for
each point, with every field. The format benchfmt is the Go benchmark format, which benchstat reads.
Unreadable lines are named on stderr.`,
		Example: `  dpukv run export runs/a --format benchfmt > a.txt; dpukv run export runs/b --format benchfmt > b.txt; benchstat a.txt b.txt
  dpukv run export runs/a --format parquet -o a.parquet; duckdb -c "select placement, max(throughput_ops) from 'a.parquet' group by 1"`,
		Args: exactArgs(1, "run folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			write, err := export.Format(format)
			if err != nil {
				return ofFlag("format", err)
			}
			run, err := openRun(args[0])
			if err != nil {
				return err
			}
			points, err := readPoints(cmd, run)
			if err != nil {
				return err
			}
			if out == "" {
				return write(foreign.Raw(cmd.OutOrStdout()), points)
			}
			return outfile.Write(out, func(w io.Writer) error { return write(w, points) })
		},
	}
	cmd.Flags().StringVar(&format, "format", "csv", "format: csv, parquet or benchfmt")
	cmd.Flags().StringVarP(&out, "out", "o", "", "file to write (default: stdout)")
	return cmd
}
