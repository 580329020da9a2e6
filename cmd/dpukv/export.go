package main

import (
	"io"

	"github.com/spf13/cobra"

	"dpukv/internal/foreign"
	"dpukv/internal/outfile"
	"dpukv/results/export"
)

func newExportCommand() *cobra.Command {
	var format, out string
	cmd := &cobra.Command{
		Use:   "export RUN",
		Short: "Write a run's points for benchstat, pandas or DuckDB",
		Long: `Write the points of run folder RUN to stdout or a file. The formats csv and parquet have a row for
each point, with every field. The format benchfmt is the Go benchmark format, which benchstat reads.
Unreadable lines are named on stderr.`,
		Example: `  dpukv export runs/a --format benchfmt > a.txt; dpukv export runs/b --format benchfmt > b.txt; benchstat a.txt b.txt
  dpukv export runs/a --format parquet -o a.parquet; duckdb -c "select placement, max(throughput_ops) from 'a.parquet' group by 1"`,
		Args: exactArgs(1, "run folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			write, err := export.Format(format)
			if err != nil {
				return usagef("--format: %w", err)
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
