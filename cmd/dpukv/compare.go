package main

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"dpukv/placement/sweep"
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
		Use:   "compare RUN_A [RUN_A... --] RUN_B... | RUN",
		Short: "Show which points of a run are better or worse than in another run",
		Long: `Compare the points of run folder RUN_B with those of RUN_A that have the same settings. The repeats
of a point are its samples. The output has medians and the change, with 95 % confidence intervals. A
Mann-Whitney U test decides whether they differ, with Holm's correction over all figures of all
settings. The level 0.05 needs four repeats on each side for one figure, six for up to 23, and seven
for up to 85.

If the machines changed between the two runs, that counts as a difference. To rule it out, measure
both sides several times, in turn, and name all folders. Put the flags first, and -- between the
sides. Each folder is then one value, the median of its repeats.

One folder of "dpukv sweep --beside" has two builds of dpukv in common rounds. Each round is a pair,
for a signed rank test. A is the build of --beside, and B the one that swept.

Exit status: 0 if nothing got worse; 1 if something got worse, or failed in B only; 2 for a mistake
in the command; 3 if there is no verdict: too few repeats, or no point in common.`,
		Example: `  dpukv compare runs/before runs/after
  dpukv compare runs/shm runs/softroce --ignore provider,emulated_testbed --metrics throughput,p99.9
  dpukv compare runs/before runs/after --min-change 0.05 --json
  dpukv compare --metrics throughput runs/before-* -- runs/after-*
  dpukv compare runs/two-builds --metrics throughput`,
		Args: func(cmd *cobra.Command, args []string) error {
			_, err := sidesOf(cmd, args)
			return err
		},
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if options.Metrics, err = compare.ParseMetrics(metrics); err != nil {
				return ofFlag("metrics", err)
			}
			// NaN is refused too
			if !(options.Alpha > 0 && options.Alpha < 1) ||
				!(options.MinChange >= 0 && options.MinChange < math.Inf(1)) {
				return usagef("--alpha and --min-change: found %v and %v, allowed: a level "+
					"between 0 and 1, and 0 or more", options.Alpha, options.MinChange)
			}
			if _, err := results.FindDimensions(options.Ignore...); err != nil {
				return ofFlag("ignore", err)
			}
			return compareRuns(cmd, args, options, asJSON)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&metrics, "metrics", compare.DefaultMetrics,
		"figures to compare: throughput, "+latencyNames+", actual_p50 …, server_cpu, client_cpu")
	flags.Float64Var(&options.Alpha, "alpha", 0.05,
		"probability, over all tests together, that something seems to differ although nothing "+
			"does")
	flags.Float64Var(&options.MinChange, "min-change", 0,
		"smallest relative change that counts, such as 0.05 for 5 %")
	flags.StringSliceVar(&options.Ignore, "ignore", nil,
		"dimensions in which the two runs may differ, such as provider,pages")
	flags.BoolVar(&asJSON, "json", false, "print one JSON object instead of tables")
	return cmd
}

// foldersOfSides are the arguments in words, behind a 2.
const foldersOfSides = "run folders, or folders of both sides with -- between, or 1 of dpukv " +
	"sweep --beside"

// sidesOf splits the folders into those of the two sides.
func sidesOf(cmd *cobra.Command, args []string) (sides [2][]string, err error) {
	at := cmd.ArgsLenAtDash()
	if at < 0 && len(args) == 1 {
		return [2][]string{args, nil}, nil // two builds
	}
	if at < 0 {
		if err := exactArgs(2, foldersOfSides)(cmd, args); err != nil {
			return sides, err
		}
		at = 1
	}
	sides = [2][]string{args[:at], args[at:]}
	for i, where := range []string{"before", "behind"} {
		if len(sides[i]) == 0 {
			return sides, usagef("%s: found no run folder %s --, allowed: one or more",
				cmd.CommandPath(), where)
		}
		seen := map[string]bool{}
		for _, dir := range sides[i] {
			if seen[filepath.Clean(dir)] {
				return sides, usagef("%s: found %s twice %s --, allowed: once", cmd.CommandPath(),
					dir, where)
			}
			seen[filepath.Clean(dir)] = true
		}
	}
	return sides, nil
}

// readSide reads the folders of one side.
func readSide(cmd *cobra.Command, dirs []string) (compare.Side, error) {
	side := compare.Side{Name: strings.Join(dirs, " ")}
	if len(dirs) > 1 {
		side.Folders = len(dirs)
	}
	for i, dir := range dirs {
		run, err := openRun(dir)
		if err != nil {
			return side, err
		}
		points, err := readPoints(cmd, run)
		if err != nil {
			return side, err
		}
		for j := range points {
			points[j].Source = i + 1
		}
		for _, said := range run.Machines() {
			if !slices.Contains(side.Machines, said) {
				side.Machines = append(side.Machines, said)
			}
		}
		side.Points = append(side.Points, points...)
	}
	return side, nil
}

func compareRuns(cmd *cobra.Command, args []string, options compare.Options, asJSON bool) error {
	dirs, err := sidesOf(cmd, args)
	if err != nil {
		return err
	}
	c, err := compareSides(cmd, dirs, options)
	if err != nil {
		return statusOfVerdict(err)
	}
	if err := show(cmd, asJSON, c, c.Write); err != nil {
		return err
	}
	return statusOfVerdict(c.Err())
}

// compareSides compares two sides, or the two builds of one folder.
func compareSides(
	cmd *cobra.Command, dirs [2][]string, options compare.Options,
) (*compare.Comparison, error) {
	a, err := readSide(cmd, dirs[0])
	if err != nil {
		return nil, err
	}
	if dirs[1] == nil {
		base, other, err := buildsOf(cmd, dirs[0][0])
		if err != nil {
			return nil, err
		}
		return compare.Builds(a, base, other, options)
	}
	b, err := readSide(cmd, dirs[1])
	if err != nil {
		return nil, err
	}
	return compare.Compare(a, b, options)
}

// buildsOf returns the two builds of a run folder, the base first.
func buildsOf(cmd *cobra.Command, dir string) (base, other string, err error) {
	run, err := openRun(dir)
	if err != nil {
		return "", "", err
	}
	merged, err := run.MergedFrom()
	if err != nil {
		return "", "", err
	}
	if merged == nil {
		text, err := run.Sweep()
		if err != nil {
			return "", "", err
		}
		s, err := sweep.Parse(filepath.Join(dir, "sweep.yaml"), text)
		if err != nil {
			return "", "", err
		}
		base, other = s.Compared()
	}
	if base == "" {
		return "", "", exactArgs(2, foldersOfSides)(cmd, []string{dir})
	}
	return base, other, nil
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
	debug.SetGCPercent(50) // a reader holds all points: half of them again in garbage is enough
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
