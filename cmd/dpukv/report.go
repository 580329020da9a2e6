package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"dpukv/results"
	"dpukv/results/report"
)

func newReportCommand() *cobra.Command {
	var slo, latency, out string
	cmd := &cobra.Command{
		Use:   "report RUN",
		Short: "Make one page of a run folder that opens offline",
		Long: `Write RUN/report.html: curves to hover over and filter, the tables behind them, the facts of each machine, and the
doubts beside the points that they concern. The page needs no network and no other file. Its path
goes to stdout; lines of the folder that could not be read are named on stderr and in the page.`,
		Example: `  dpukv report runs/2026-03-04T05-06-07
  dpukv report runs/2026-03-04T05-06-07 --slo p99=200us -o /tmp/for-the-team.html`,
		Args: exactArgs(1, "run folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			options := report.Options{Version: version}
			measures, err := results.ParseMeasures(latency)
			if err != nil || len(measures) != 1 {
				return usagef("--latency: found %q, want one of mean, p50, p95, p99, p99.9, max", latency)
			}
			options.Measure = measures[0]
			if options.Bound, err = parseSLO(slo); err != nil {
				return err
			}
			return writeReport(cmd, args[0], out, options)
		},
	}
	cmd.Flags().StringVar(&latency, "latency", "p99", "latency that the page begins with: mean, p50, p95, p99, p999, max")
	cmd.Flags().StringVar(&slo, "slo", "", "latency bound that the page begins with, such as p99=200us")
	cmd.Flags().StringVarP(&out, "out", "o", "", "file to write (default: report.html in the run folder)")
	return cmd
}

func writeReport(cmd *cobra.Command, dir, out string, options report.Options) error {
	run, err := openRun(dir)
	if err != nil {
		return err
	}
	model, err := report.Read(run, options)
	if err != nil {
		return err
	}
	for _, note := range model.Notes {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: left out %s\n", dir, note)
	}
	if out == "" {
		out = filepath.Join(dir, "report.html")
	}
	if err := model.WriteFile(out); err != nil {
		return err
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), out)
	return err
}
