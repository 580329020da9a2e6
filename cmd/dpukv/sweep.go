package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"dpukv/internal/foreign"
	"dpukv/internal/guest"
	"dpukv/placement/run"
	"dpukv/placement/sweep"
	"dpukv/results/live"
)

func newSweepCommand() *cobra.Command {
	var (
		options run.Options
		common  sweepFlags
		inGuest bool
	)
	cmd := &cobra.Command{
		Use:   "sweep",
		Short: "Measure every point of a sweep into a run folder",
		Long: `Measure every combination of a sweep's values into a run folder, and draw the figures. Each
combination has a server process and client processes of its own. Without a sweep file it is the study's
case of MICA. Without a testbed file this machine plays both hosts. To continue an interrupted
sweep, name its folder with --out: only missing points are measured.

Progress goes to stderr. The table goes to stdout, with the folder's path as its last line. Without a
checkout, "dpukv sweep init" writes the files of examples/.

With --slo, the answer at the end counts only throughput within the bound, as on the page of --serve.
It starts no search: dpukv search --slo, and the key slo of a sweep, do.` + exitOfThresholds + `
Without --fail-if, it is 1 if a point failed.`,
		Example: `  dpukv sweep --quick
  dpukv sweep -f examples/mica.yaml --dry-run
  dpukv sweep -f examples/mica.yaml --set duration=1s,client_threads=1,client_threads=2
  dpukv sweep -f examples/mica.yaml --serve 127.0.0.1:8080
  dpukv sweep -f examples/mica.yaml --out runs/mica --only get_ratio=1,repeat=1
  dpukv sweep -f examples/mica.yaml --beside ./dpukv-main --out runs/two-builds
  dpukv sweep -f ci.yaml --slo p99=300us --fail-if 'throughput < 1Mops'`,
		Args: exactArgs(0, "arguments (a sweep file is given with -f)"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			plan, err := common.plan(cmd, &options)
			if err != nil {
				return err
			}
			if common.limits.bound != nil && plan.Searches() {
				return usagef("--slo: found with a sweep that searches, allowed: without; the " +
					"key slo is the bound of its answers")
			}
			if inGuest {
				if err := checkGuest(plan); err != nil {
					return usagef("%w", err)
				}
			}
			if inGuest {
				return common.run(cmd, plan, func() error { return runInGuest(cmd, plan) })
			}
			return common.run(cmd, plan, func() error { return runSweep(cmd, plan) })
		},
	}
	common.add(cmd, &options)
	flags := cmd.Flags()
	common.limits.add(flags, "latency bound within which throughput counts in the answer, such as "+
		"p99=300us", ", for each configuration, or with --slo for each line at its load within "+
		"the bound")
	flags.BoolVar(&options.Quick, "quick", false, "short sweep of less than 30 seconds")
	flags.StringVar(&options.Until, "repeats-until", "",
		"further repeats, at most 4 × repeats in all, of each configuration whose medians are not "+
			"known to this share of them, such as 5% (default: the key repeats_until of the sweep)")
	flags.StringVar(&options.Beside, "beside", "",
		"file of another dpukv to measure beside this one: each point with both, in common "+
			"rounds; dpukv compare RUN then says what changed")
	flags.BoolVar(&inGuest, "in-guest", false,
		"measurement inside a small virtual machine, whose kernel has Open vSwitch's datapath "+
			"and flower (built once, in minutes)")
	cmd.AddCommand(newSweepInitCommand())
	return cmd
}

// sweepFlags are what the commands that measure a sweep have in common.
type sweepFlags struct {
	set     []string
	dryRun  bool
	address string
	login   credentialFlags
	own     ownKeyFlags
	limits  limits
}

func (f *sweepFlags) add(cmd *cobra.Command, options *run.Options) {
	flags := cmd.Flags()
	flags.StringVarP(&options.SweepFile, "file", "f", "",
		"sweep file (default: the built-in sweep, or that of the run folder)")
	flags.StringVar(&options.TestbedFile, "testbed", "",
		"testbed file (default: this machine, or that of the run folder)")
	flags.StringVar(&options.Dir, "out", "",
		"run folder to begin or to continue; with --set repeats=N it grows to N (default: a new "+
			"one below runs/)")
	flags.StringVar(&options.Only, "only", "",
		"values of the points to measure: key=value,…; several values of one key are alternatives")
	flags.StringArrayVar(&f.set, "set", nil,
		"values for keys of the sweep: key=value,…; several values of one key make a list")
	flags.StringVar(&options.Attach, "attach", "",
		"HOST:PORT or URL of a "+strings.Join(sweep.Attachable(), " or ")+
			" that runs already, to measure instead of a new server (own keys are stored beside "+
			"its keys, and removed afterwards)")
	f.login.add(flags)
	f.own.add(flags)
	flags.BoolVar(&f.dryRun, "dry-run", false,
		"print the points, the commands and the expected time, and do nothing")
	flags.StringVar(&f.address, "serve", "",
		"address at which to serve the report while it fills up, such as 127.0.0.1:8080; "+
			"/metrics is for Prometheus")
}

// plan makes the plan of a command. An error is a mistake of the user.
func (f *sweepFlags) plan(cmd *cobra.Command, options *run.Options) (*run.Plan, error) {
	if err := f.limits.parse(); err != nil {
		return nil, err
	}
	options.Within, options.FailIf = f.limits.bound, f.limits.list
	options.Version, options.Context = version, cmd.Context()
	options.Argv, options.Source = os.Args, thisBuild
	options.Set = strings.Join(f.set, ",")
	options.Stdout, options.Stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
	options.Yes, options.Keep = f.own.yes, f.own.keep
	var err error
	if options.Credentials, err = f.login.read(); err != nil {
		return nil, usagef("%w", err)
	}
	plan, err := run.NewPlan(*options)
	if err != nil {
		return nil, usagef("%w", err)
	}
	return plan, nil
}

// run shows the plan, or measures it while the report is served.
func (f *sweepFlags) run(cmd *cobra.Command, plan *run.Plan, measure func() error) error {
	if f.dryRun {
		return run.DryRun(cmd.OutOrStdout(), plan)
	}
	return f.limits.status(runServed(cmd, plan, f.address, measure))
}

// runServed serves the run folder while it fills up.
func runServed(cmd *cobra.Command, plan *run.Plan, address string, do func() error) error {
	stop, err := serveLive(cmd, address, live.Options{
		Dir: plan.Options.Dir, Version: version, Total: plan.Size(), Bound: plan.Options.Within,
	})
	if err != nil {
		return err
	}
	return errors.Join(do(), stop("The sweep has ended: "+plan.Options.Dir))
}

func runSweep(cmd *cobra.Command, plan *run.Plan) error {
	summary, err := plan.Run(cmd.Context())
	if summary.Begun() {
		fmt.Fprintln(cmd.OutOrStdout(), summary.Dir)
	}
	return err
}

// checkGuest refuses what a guest cannot do: its exit status tells only that something failed.
func checkGuest(plan *run.Plan) error {
	if plan.Options.FailIf != nil {
		return errors.New("--fail-if: found with --in-guest, allowed: without; to do: dpukv " +
			"answer RUN --fail-if, once the sweep has ended")
	}
	return run.CheckGuest(plan)
}

// runInGuest lets the guest make the same plan again, with this run folder.
func runInGuest(cmd *cobra.Command, plan *run.Plan) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	guest := guest.Sweep{
		Binary: self, Dir: plan.Options.Dir,
		Files: map[string]string{
			"--file": plan.Options.SweepFile, "--testbed": plan.Options.TestbedFile,
		},
		Flags: guestFlags(plan),
	}
	return guest.Run(cmd.Context(), cmd.OutOrStdout(), foreign.Raw(cmd.ErrOrStderr()))
}

// guestFlags returns the flags that the guest's sweep has in common with this one.
func guestFlags(plan *run.Plan) (flags []string) {
	slo := ""
	if plan.Options.Within != nil {
		slo = plan.Options.Within.Text()
	}
	for _, f := range []struct{ name, value string }{
		{"--only", plan.Options.Only},
		{"--set", plan.Options.Set},
		{"--repeats-until", plan.Options.Until},
		{"--slo", slo},
	} {
		if f.value != "" {
			flags = append(flags, f.name, f.value)
		}
	}
	if plan.Options.Quick {
		flags = append(flags, "--quick")
	}
	return flags
}
