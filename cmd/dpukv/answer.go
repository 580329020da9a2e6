package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"dpukv/internal/numfmt"
	"dpukv/results/answer"
	"dpukv/results/runfolder"
	"dpukv/results/threshold"
)

// answerFlags are the flags of an answer before parsing.
type answerFlags struct {
	latency, at string
	asJSON      bool
	limits      limits
	options     answer.Options // of these
}

func newAnswerCommand() *cobra.Command {
	var f answerFlags
	cmd := &cobra.Command{
		Use: "answer RUN...",
		Short: "Say which placement is best in one or several run folders, what it saves, and " +
			"how sure that is",
		Long: `Say in words which placement, store or configuration serves most, by how much, what a placement on
DPUs saves the hosts, and how sure that is. It is the sentence at the top of the report.

With --slo, only throughput within the bound counts. Without it, the throughput at the knee of the
latency counts or, if one of the lines has no knee, the throughput at each line's peak. With --at,
latency at an offered rate ranks the placements. Then the answer has the CPU time of hosts and the
energy per operation at that rate, where they were measured.

Exit status: 0 if there is an answer, whatever it says; 1 if no point was measured; 2 for a mistake
in the command.` + thresholdHelp(`
A threshold judges each configuration: with --slo each line at its load within the bound, with --at
each at that rate.`),
		Example: `  dpukv answer runs/2026-03-04T05-06-07 --slo p99=300us
  dpukv answer runs/rates --at 500kops
  dpukv answer runs/nightly --fail-if 'p99 > 300us' --fail-if 'throughput < 1Mops'
  dpukv answer runs/on-bf2 runs/on-bf3 --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("answer: found no arguments, allowed: one or more run folders")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.parse(); err != nil {
				return err
			}
			return f.limits.status(withRun(cmd, args, func(run *runfolder.Run) error {
				return f.say(cmd, run)
			}))
		},
	}
	flags := cmd.Flags()
	f.limits.add(flags, "latency bound within which throughput counts, such as p99=300us")
	flags.StringVar(&f.at, "at", "",
		"offered rate at which latency ranks the placements, such as 500kops or 5e5")
	flags.StringVar(&f.latency, "latency", "",
		"latency of the knee, or with --at the one that ranks: "+latencyNames+
			" (default: p99, of emulated machines with a CPU quota: p50)")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON object instead of text")
	return cmd
}

func (f *answerFlags) parse() (err error) {
	if f.options.Metric, err = shownFirst(f.latency); err != nil {
		return err
	}
	if err = f.limits.parse(); err != nil {
		return err
	}
	f.options.Bound = f.limits.bound
	if f.at == "" {
		return nil
	}
	if f.limits.bound != nil {
		return usagef("--at: found with --slo, allowed: one of the two; --slo ranks by throughput")
	}
	if f.options.RateOps, err = numfmt.ParseRate(f.at); err != nil {
		return ofFlag("at", err)
	}
	return nil
}

// judged is the answer with the outcomes of thresholds, if there are some.
type judged struct {
	answer.Answer
	Thresholds []threshold.Outcome `json:"thresholds,omitempty"`
}

func (f *answerFlags) say(cmd *cobra.Command, run *runfolder.Run) error {
	points, bad, err := run.Points()
	if err != nil {
		return err
	}
	for _, b := range bad {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", run.Dir(), b.Said())
	}
	if rate := f.options.RateOps; rate > 0 {
		if err := answer.CheckRate(points, rate); err != nil {
			return usagef("--at: %s: %w", run.Dir(), err)
		}
	}
	a, ok := answer.Of(points, f.options)
	if !ok {
		return fmt.Errorf("%s: found no point of a store that was measured, needed: one", run.Dir())
	}
	outcomes := threshold.Judge(f.limits.list, points,
		threshold.Where{Bound: f.options.Bound, RateOps: f.options.RateOps})
	out := cmd.OutOrStdout()
	if f.asJSON {
		return errors.Join(json.NewEncoder(out).Encode(judged{a, outcomes}),
			threshold.Err(outcomes))
	}
	if err := a.Write(out); err != nil {
		return err
	}
	return threshold.Write(out, outcomes)
}
