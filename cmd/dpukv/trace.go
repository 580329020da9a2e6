package main

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"dpukv/load/trace"
)

func newTraceCommand() *cobra.Command {
	return newGroupCommand("trace", "Read recorded operations: convert them, say what is in them",
		`Read traces: operations that an application made. They are in CSV files, plain or compressed by
zstd: Twitter's cache traces, or files whose first line names the columns:
`+trace.ColumnNames+`.

Times do not fall from line to line.`,
		newTraceConvertCommand(), newTraceInfoCommand())
}

func newTraceConvertCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "convert SOURCE TRACE",
		Short: "Make a compact trace of a CSV file",
		Long: `Write the operations of a CSV file as a trace in the compact form, which is fast to read. It has 24
bytes for each operation. A file that exists is never overwritten. Where little room is left in the
file system, or little memory, it ends and leaves no file.

Keys become numbers. Meanwhile each key takes up to ` + strconv.Itoa(trace.KeyMemory) + ` bytes of memory. Operations with the same
time are spread evenly over the unit of the times, such as a second.

What becomes of operations: ` + trace.Mapping() + `.`,
		Example: `  dpukv trace convert cluster052.sort.zst cluster052.trace
  dpukv trace convert examples/trace.csv small.trace`,
		Args: exactArgs(2, "files, SOURCE and TRACE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := trace.Convert(cmd.Context(), args[0], args[1], progress(cmd, args[0]))
			if errors.Is(err, trace.ErrNoDisk) {
				return fmt.Errorf("%w; to do: choose a folder with more room for TRACE", err)
			}
			if err != nil {
				return usagef("%w", err)
			}
			return s.WriteText(cmd.OutOrStdout())
		},
	}
}

// progress tells on stderr how far a file is read, every ten seconds.
func progress(cmd *cobra.Command, path string) func(done float64) {
	const every = 10 * time.Second
	next := time.Now().Add(every)
	return func(done float64) {
		if now := time.Now(); now.After(next) {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: %.0f %% read\n", path, 100*done)
			next = now.Add(every)
		}
	}
}

func newTraceInfoCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "info FILE",
		Short: "Say what is in a trace: operations, keys, sizes, popularity, rate over time",
		Long: `Read a trace, compact or CSV, and say what is in it.

The popularity of its keys is compared with a Zipf distribution. The exponent is that of the highest
likelihood, by the ranks of all keys with ten operations or more. The fit is off by the most by
which the share of the keys up to any rank differs.`,
		Example: `  dpukv trace info examples/trace.csv
  dpukv trace info cluster052.trace --json`,
		Args: exactArgs(1, "FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			stats, err := traceStats(cmd, args[0])
			if err != nil {
				return err
			}
			return show(cmd, asJSON, stats, stats.WriteText)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false,
		"print one JSON object: summary, rate_ops, get_ratio, key_bytes, value_bytes, zipf, "+
			"slices and more")
	return cmd
}

// traceStats reads a trace in any form.
func traceStats(cmd *cobra.Command, path string) (stats *trace.Stats, err error) {
	f, err := trace.Open(path)
	if errors.Is(err, trace.ErrNotCompact) {
		return csvStats(cmd, path)
	}
	if err != nil {
		return nil, usagef("%w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if stats, err = f.Stats(cmd.Context()); err != nil {
		return nil, err
	}
	return stats, f.Check()
}

func csvStats(cmd *cobra.Command, path string) (stats *trace.Stats, err error) {
	c, err := trace.OpenCSV(cmd.Context(), path, progress(cmd, path))
	if err != nil {
		return nil, usagef("%w", err)
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	return c.Stats()
}
