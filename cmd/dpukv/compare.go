package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"syscall"

	"github.com/spf13/cobra"

	"dpukv/results"
	"dpukv/results/compare"
	"dpukv/results/runfolder"
)

func newCompareCommand() *cobra.Command {
	var (
		options compare.Options
		metrics string
		asJSON  bool
	)
	cmd := &cobra.Command{
		Use:   "compare RUN_A RUN_B",
		Short: "Show which points of a run are better or worse than in another run",
		Long: `Compare the points of run folder RUN_B with those of RUN_A that have the same settings. The repeats
of a point are its samples. The output has medians and the change, with 95 % confidence intervals. A
Mann-Whitney U test decides whether they differ, with Holm's correction over all settings. The level
0.05 needs four repeats on each side for one setting, and six for up to 23.

Exit status: 0 if nothing got worse; 1 if something got worse, or failed in B only; 2 for a mistake
in the command; 3 if there is no verdict: too few repeats, or no point in common.`,
		Example: `  dpukv compare runs/before runs/after
  dpukv compare runs/shm runs/softroce --ignore provider,emulated_testbed --metrics throughput,p99.9
  dpukv compare runs/before runs/after --min-change 0.05 --json`,
		Args: exactArgs(2, "run folders"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if options.Metrics, err = compare.ParseMetrics(metrics); err != nil {
				return usagef("--metrics: %w", err)
			}
			// NaN is refused too
			if !(options.Alpha > 0 && options.Alpha < 1) ||
				!(options.MinChange >= 0 && options.MinChange < math.Inf(1)) {
				return usagef("--alpha and --min-change: found %v and %v, allowed: a level "+
					"between 0 and 1, and 0 or more", options.Alpha, options.MinChange)
			}
			if _, err := results.FindDimensions(options.Ignore...); err != nil {
				return usagef("--ignore: %w", err)
			}
			return compareRuns(cmd, args, options, asJSON)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&metrics, "metrics", compare.DefaultMetrics,
		"figures to compare: throughput, mean, p50, p95, p99, p99.9, max, actual_p50 …, "+
			"server_cpu, client_cpu")
	flags.Float64Var(&options.Alpha, "alpha", 0.05,
		"level of the test: probability that any unchanged setting seems to differ")
	flags.Float64Var(&options.MinChange, "min-change", 0,
		"smallest relative change that counts, such as 0.05 for 5 %")
	flags.StringSliceVar(&options.Ignore, "ignore", nil,
		"dimensions in which the two runs may differ, such as provider,pages")
	flags.BoolVar(&asJSON, "json", false, "one JSON object instead of tables")
	return cmd
}

func compareRuns(cmd *cobra.Command, dirs []string, options compare.Options, asJSON bool) error {
	var sides [2]compare.Side
	for i, dir := range dirs {
		run, err := openRun(dir)
		if err != nil {
			return err
		}
		points, err := readPoints(cmd, run)
		if err != nil {
			return err
		}
		sides[i] = compare.Side{Name: dir, Machines: run.Machines(), Points: points}
	}
	c, err := compare.Compare(sides[0], sides[1], options)
	if err != nil {
		return statusOfVerdict(err)
	}
	if asJSON {
		err = json.NewEncoder(cmd.OutOrStdout()).Encode(c)
	} else {
		err = c.Write(cmd.OutOrStdout())
	}
	if err != nil {
		return err
	}
	return statusOfVerdict(c.Err())
}

// statusOfVerdict tells scripts that there is no verdict from a verdict that something got worse.
func statusOfVerdict(err error) error {
	if errors.Is(err, compare.ErrNoVerdict) {
		return noVerdictError{err}
	}
	return err
}

// openRun opens a run folder. A path that is no run folder is a usage error.
func openRun(dir string) (*runfolder.Run, error) {
	run, err := runfolder.Open(dir)
	if errors.Is(err, runfolder.ErrNotRun) || errors.Is(err, syscall.ENOTDIR) {
		return nil, usagef("%w%s", err, runfolder.Near(dir))
	}
	return run, err
}

// readPoints reads a run's points, and names unreadable lines on stderr.
func readPoints(cmd *cobra.Command, run *runfolder.Run) ([]results.Point, error) {
	points, bad, err := run.All()
	for _, b := range bad {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", run.Dir(), b.Said())
	}
	return points, err
}
