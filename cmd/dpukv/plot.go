package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"dpukv/results"
	"dpukv/results/figure"
)

func newPlotCommand() *cobra.Command {
	var (
		latencies  string
		slo        string
		actual     bool
		logX, logY bool
	)
	cmd := &cobra.Command{
		Use:   "plot DIR",
		Short: "Draw the figures of a run folder",
		Long: `Draw latency over throughput from the points of the run folder DIR. The figures go to DIR/figures, as
SVG, PNG and CSV. Their paths go to stdout, one per line. Failed points and unreadable lines are
named on stderr.`,
		Example: `  dpukv plot runs/2026-03-04T05-06-07
  dpukv plot runs/2026-03-04T05-06-07 --latency p50,p99.9 --log-y`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("plot: found %d arguments, allowed: one, the run folder", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			metrics, err := results.ParseLatencyMetrics(latencies)
			if err != nil {
				return usagef("--latency: %w", err)
			}
			bound, err := parseSLO(slo)
			if err != nil {
				return err
			}
			return plot(cmd, args[0], figure.Options{
				Metrics: metrics, Actual: actual, LogX: logX, LogY: logY, Bound: bound,
			})
		},
	}
	cmd.Flags().StringVar(&latencies, "latency", results.DefaultLatencyMetrics,
		"latency figures to draw: mean, p50, p95, p99, p99.9, max")
	cmd.Flags().BoolVar(&actual, "actual", false,
		"latency from the actual send (default: from the intended send)")
	cmd.Flags().StringVar(&slo, "slo", "",
		"latency bound to draw into the figures of its measure, such as p99=200us")
	cmd.Flags().BoolVar(&logX, "log-x", false, "logarithmic throughput axis")
	cmd.Flags().BoolVar(&logY, "log-y", false, "logarithmic latency axis")
	return cmd
}

// parseSLO reads the flag --slo. It returns nil if the flag is not set.
func parseSLO(text string) (*results.Bound, error) {
	if text == "" {
		return nil, nil
	}
	bound, err := results.ParseBound(text)
	if err != nil {
		return nil, usagef("--slo: %w", err)
	}
	return &bound, nil
}

func plot(cmd *cobra.Command, dir string, options figure.Options) error {
	run, err := openRun(dir)
	if err != nil {
		return err
	}
	drawing, err := figure.Draw(run, options)
	for _, warning := range drawing.Warnings {
		fmt.Fprintln(cmd.ErrOrStderr(), warning)
	}
	for _, path := range drawing.Paths {
		fmt.Fprintln(cmd.OutOrStdout(), path)
	}
	return err
}
