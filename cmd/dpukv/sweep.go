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
	var f sweepFlags
	cmd := &cobra.Command{
		Use:   "sweep",
		Short: "Measure every point of a sweep into a run folder, or find the highest rate",
		Long: `Measure every combination of a sweep's values into a run folder, and draw the figures. Each
combination has a server process and client processes of its own. Without a sweep file, it runs the
study's experiment with MICA: 72 points, about three minutes. Without a testbed file this machine
plays both hosts. To continue an interrupted sweep, name its folder with --out, and add --resume:
only missing points are measured.

Progress goes to stderr. The table goes to stdout, with the folder's path as its last line. Without a
checkout, "dpukv sweep init" writes the files of examples/.

With --slo, the answer at the end counts only throughput within the bound, as on the page of --serve.

With --find-rate, the sweep finds the highest offered rate whose latency keeps the bound of --slo, for
each configuration. It measures the peak of a closed loop, then shares of it in an open loop. It
halves the gap around the bound, and repeats both ends of the gap. The answers follow the table. The
key slo in a sweep file does the same.` + thresholdHelp(`
A threshold judges each configuration: with --slo each line at its load within the bound, with
--find-rate the points at each answer.`) + `
Without --fail-if, it is 1 if a point failed, or if a configuration has no rate within the bound.`,
		Example: `  dpukv sweep --quick
  dpukv sweep -f examples/mica.yaml --dry-run
  dpukv sweep -f examples/mica.yaml --set duration=1s,client_threads=1,client_threads=2
  dpukv sweep -f examples/mica.yaml --serve 127.0.0.1:8080
  dpukv sweep --resume -o runs/mica --only get_ratio=1,repeat=1
  dpukv sweep -f examples/mica.yaml --beside ./dpukv-main -o runs/two-builds
  dpukv sweep -f ci.yaml --slo p99=300us --fail-if 'throughput < 1Mops'
  dpukv sweep --find-rate --slo p99=200us --only get_ratio=0.95,client_threads=2`,
		Args: exactArgs(0, "arguments (a sweep file is given with -f)"),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.add(cmd)
	cmd.AddCommand(newSweepInitCommand())
	return cmd
}

// sweepFlags are a sweep's flags before parsing.
type sweepFlags struct {
	options                           run.Options
	set                               []string
	findRate, resume, dryRun, inGuest bool
	address                           string
	login                             credentialFlags
	own                               ownKeyFlags
	limits                            limits
}

func (f *sweepFlags) add(cmd *cobra.Command) {
	flags, options := cmd.Flags(), &f.options
	flags.StringVarP(&options.SweepFile, "file", "f", "",
		"sweep file (default: the built-in sweep, or that of the run folder)")
	flags.StringVar(&options.TestbedFile, "testbed", "",
		"testbed file (default: this machine, or that of the run folder)")
	flags.StringVarP(&options.Dir, "out", "o", "",
		"run folder to create, or with --resume to continue; --resume --set repeats=N adds "+
			"rounds up to N (default: a new one below runs/)")
	flags.BoolVar(&f.resume, "resume", false, "continue the run folder of --out")
	flags.StringVar(&options.Only, "only", "",
		"measure only points with these values: key=value,…; name a key twice to allow either "+
			"value")
	flags.StringArrayVar(&f.set, "set", nil,
		"replace values of the sweep: key=value,…; name a key twice for a list")
	flags.StringVar(&options.Attach, "attach", "",
		"HOST:PORT or URL of a running "+strings.Join(sweep.Attachable(), " or ")+
			" to measure, instead of starting one (the load's keys are stored beside yours, and "+
			"removed afterwards)")
	f.login.add(flags, "with --attach: ")
	f.own.add(flags, "with --attach: ")
	flags.BoolVar(&f.dryRun, "dry-run", false,
		"print the points, the commands and the expected time, and do nothing")
	flags.StringVar(&f.address, "serve", "",
		"address at which to serve the report while it fills up, such as 127.0.0.1:8080; "+
			"/metrics is for Prometheus")
	f.limits.add(flags, "latency bound within which throughput counts in the answer, such as "+
		"p99=300us")
	flags.BoolVar(&f.findRate, "find-rate", false,
		"find the highest rate within the bound of --slo, or of the sweep's key slo")
	flags.BoolVar(&options.Quick, "quick", false,
		"run a short sweep: nine points in about 20 seconds")
	flags.StringVar(&options.Until, "repeats-until", "",
		"repeat each configuration until both ends of the 95 % intervals of its median "+
			"throughput and p99 are within this share of the median, such as 5%; at most 4 × "+
			"repeats in all (default: the key repeats_until of the sweep)")
	flags.StringVar(&options.Beside, "beside", "",
		"another dpukv binary to measure, too: each round runs every point with both builds; "+
			"dpukv compare RUN then says what changed")
	flags.BoolVar(&f.inGuest, "in-guest", false,
		"measure inside a small virtual machine, whose kernel has Open vSwitch's datapath "+
			"and flower (built once, in minutes)")
}

// run shows the plan, or measures it while the report is served.
func (f *sweepFlags) run(cmd *cobra.Command) error {
	if err := f.fit(cmd.Flags().Changed); err != nil {
		return err
	}
	plan, err := f.plan(cmd)
	if err != nil {
		return err
	}
	measure := runSweep
	if f.inGuest {
		if err := checkGuest(plan); err != nil {
			return usagef("%w", err)
		}
		measure = runInGuest
	}
	if f.dryRun {
		return run.DryRun(cmd.OutOrStdout(), plan)
	}
	return f.limits.status(runServed(cmd, plan, f.address, func() error {
		return measure(cmd, plan)
	}))
}

// fit refuses flags that cannot go together. The bound of --find-rate is that of the search.
func (f *sweepFlags) fit(given func(flag string) bool) error {
	if f.resume && f.options.Dir == "" {
		return usagef("--resume: found without --out, allowed: with --out DIR, the run folder to " +
			"continue")
	}
	if !f.findRate {
		return nil
	}
	for _, name := range []string{"quick", "repeats-until", "beside"} {
		if given(name) {
			return usagef("--%s: found with --find-rate, allowed: without; a search has "+
				"points and repeats of its own", name)
		}
	}
	f.options.SLO, f.limits.slo = f.limits.slo, ""
	return nil
}

// plan makes the plan of the flags. An error is a mistake of the user.
func (f *sweepFlags) plan(cmd *cobra.Command) (*run.Plan, error) {
	if err := f.limits.parse(); err != nil {
		return nil, err
	}
	options := &f.options
	options.Within, options.FailIf = f.limits.bound, f.limits.list
	options.Version, options.Context = version, cmd.Context()
	options.Argv, options.Source = os.Args, thisBuild
	options.Set = strings.Join(f.set, ",")
	options.Stdout, options.Stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
	options.Terms, options.Stays = f.own.Terms, leaves
	var err error
	if options.Credentials, err = f.login.read(); err != nil {
		return nil, usagef("%w", err)
	}
	plan, err := run.NewPlan(*options)
	if err != nil {
		return nil, usagef("%w", err)
	}
	switch dir := plan.Options.Dir; {
	case f.findRate && !plan.Searches():
		return nil, usagef("--slo: found none, and none in the sweep, allowed with --find-rate: " +
			"METRIC=TIME, such as p99=200us")
	case f.limits.bound != nil && plan.Searches():
		return nil, usagef("--slo: found with a sweep whose key slo finds rates, allowed: with " +
			"--find-rate, or no --slo")
	case f.resume && !plan.Resumes():
		return nil, usagef("--resume: found no run folder %s, allowed: one that a sweep began; to "+
			"begin it, leave out --resume", dir)
	case plan.Resumes() && !f.resume:
		fmt.Fprintf(options.Stderr, "%s exists: continues it; from version 0.2 this needs "+
			"--resume\n", dir)
	}
	return plan, nil
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
	slo := plan.Options.SLO
	if slo != "" {
		flags = append(flags, "--find-rate")
	}
	if plan.Resumes() {
		flags = append(flags, "--resume")
	}
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
