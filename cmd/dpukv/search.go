package main

import (
	"github.com/spf13/cobra"

	"dpukv/placement/run"
)

func newSearchCommand() *cobra.Command {
	var (
		options run.Options
		common  sweepFlags
	)
	cmd := &cobra.Command{
		Use:   "search",
		Short: "Find the highest rate within a latency bound",
		Long: `Find the highest offered rate whose latency keeps a bound, for each configuration of a sweep. A
search measures the peak of a closed loop, then shares of it in an open loop. It halves the gap
around the bound, and repeats both ends of the gap. All points go into an ordinary run folder, which
report and plot read. The command is a sweep with the key slo.

The answers follow the table on stdout, with the folder's path as the last line. To continue an
interrupted search, name its folder with --out.

Exit status: 0 if each configuration has an answer; 1 if one has none, with the reason; 2 for a
mistake in the command.` + exitOfThresholds + `
A configuration without an answer decides nothing.`,
		Example: `  dpukv search --slo p99=200us --only get_ratio=0.95,client_threads=2
  dpukv search --slo p99.9=1ms -f examples/search.yaml --dry-run
  dpukv search --out runs/search --fail-if 'throughput < 500kops'`,
		Args: exactArgs(0, "arguments (a sweep file is given with -f)"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			plan, err := common.plan(cmd, &options)
			if err != nil {
				return err
			}
			if !plan.Searches() {
				return usagef("--slo: found none, and none in the sweep, allowed: METRIC=TIME, " +
					"such as p99=200us")
			}
			return common.run(cmd, plan, func() error { return runSweep(cmd, plan) })
		},
	}
	common.add(cmd, &options)
	common.limits.addFailIf(cmd.Flags(), ", for the points at each answer")
	cmd.Flags().StringVar(&options.SLO, "slo", "",
		"bound on a latency, such as p99=200us (default: the key slo of the sweep)")
	return cmd
}
