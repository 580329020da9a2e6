package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"dpukv/results/answer"
	"dpukv/results/runfolder"
)

func newAnswerCommand() *cobra.Command {
	var (
		slo, latency string
		asJSON       bool
	)
	cmd := &cobra.Command{
		Use:   "answer RUN...",
		Short: "Say what a run folder, or several, show: what is best, what it saves, how sure",
		Long: `Say in words which placement, store or configuration serves most, by how much, what a placement on
DPUs saves the hosts, and how sure that is. It is the sentence at the top of the report.

With --slo, only throughput within the bound counts. Without it, that at the knee of the latency
counts, or else the peak.

Exit status: 0 once the answer is said, whatever it is; 1 if no point was measured; 2 for a mistake in
the command.`,
		Example: `  dpukv answer runs/2026-03-04T05-06-07 --slo p99=300us
  dpukv answer runs/on-bf2 runs/on-bf3 --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("answer: found no arguments, allowed: one or more run folders")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			var o answer.Options
			if o.Metric, err = shownFirst(latency); err != nil {
				return err
			}
			if o.Bound, err = parseSLO(slo); err != nil {
				return err
			}
			return withRun(cmd, args, func(run *runfolder.Run) error {
				return sayAnswer(cmd, run, o, asJSON)
			})
		},
	}
	cmd.Flags().StringVar(&slo, "slo", "",
		"latency bound within which throughput counts, such as p99=300us")
	cmd.Flags().StringVar(&latency, "latency", "",
		"latency of the knee: mean, p50, p95, p99, p99.9, max (default: p99, of emulated machines "+
			"with a CPU quota: p50)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object instead of text")
	return cmd
}

func sayAnswer(cmd *cobra.Command, run *runfolder.Run, o answer.Options, asJSON bool) error {
	points, bad, err := run.Points()
	if err != nil {
		return err
	}
	for _, b := range bad {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", run.Dir(), b.Said())
	}
	a, ok := answer.Of(points, o)
	switch {
	case !ok:
		return fmt.Errorf("%s: found no point that was measured, needed: one", run.Dir())
	case asJSON:
		return json.NewEncoder(cmd.OutOrStdout()).Encode(a)
	}
	return a.Write(cmd.OutOrStdout())
}
