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
		dryRun  bool
		address string
		inGuest bool
	)
	cmd := &cobra.Command{
		Use:   "sweep",
		Short: "Measure every point of a sweep into a run folder",
		Long: `Measure every combination of a sweep's values into a run folder, and draw the figures. Each
combination has a server process and client processes of its own. Without a sweep file it is the study's
case of MICA. Without a testbed file this machine plays both hosts. To continue an interrupted
sweep, name its folder with --out: only missing points are measured.

Progress goes to stderr. The table goes to stdout, with the folder's path as its last line.`,
		Example: `  dpukv sweep --quick
  dpukv sweep -f examples/mica.yaml --dry-run
  dpukv sweep -f examples/mica.yaml --serve 127.0.0.1:8080
  dpukv sweep -f examples/mica.yaml --out runs/mica --only get_ratios=1,repeat=1`,
		Args: exactArgs(0, "arguments (a sweep file is given with -f)"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			options.Version, options.Context = version, cmd.Context()
			options.Stdout, options.Stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
			plan, err := run.NewPlan(options)
			if err != nil {
				return usagef("%w", err)
			}
			if inGuest {
				if err := run.CheckGuest(plan); err != nil {
					return usagef("%w", err)
				}
			}
			if dryRun {
				return run.DryRun(cmd.OutOrStdout(), plan)
			}
			if inGuest {
				return runServed(cmd, plan, address, func() error { return runInGuest(cmd, plan) })
			}
			return runServed(cmd, plan, address, func() error { return runSweep(cmd, plan) })
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&options.SweepFile, "file", "f", "",
		"sweep file (default: the built-in sweep, or that of the run folder)")
	flags.StringVar(&options.TestbedFile, "testbed", "",
		"testbed file (default: this machine, or that of the run folder)")
	flags.BoolVar(&options.Quick, "quick", false, "short sweep of less than 30 seconds")
	flags.StringVar(&options.Dir, "out", "",
		"run folder to begin or to continue (default: a new one below runs/)")
	flags.StringVar(&options.Only, "only", "",
		"values of the points to measure: key=value,…; several values of one key are alternatives")
	flags.StringVar(&options.Attach, "attach", "",
		"HOST:PORT of a "+strings.Join(sweep.Attachable(), " or ")+
			" that runs already, to measure instead of a new server (its data is overwritten)")
	flags.BoolVar(&inGuest, "in-guest", false,
		"measurement inside a small virtual machine, whose kernel has Open vSwitch's datapath "+
			"and flower (built once, in minutes)")
	flags.BoolVar(&dryRun, "dry-run", false,
		"print the points, the commands and the expected time, and do nothing")
	flags.StringVar(&address, "serve", "",
		"address at which to serve the report while it fills up, such as 127.0.0.1:8080; "+
			"/metrics is for Prometheus")
	return cmd
}

// runServed serves the run folder while it fills up.
func runServed(cmd *cobra.Command, plan *run.Plan, address string, do func() error) error {
	stop, err := serveLive(cmd, address,
		live.Options{Dir: plan.Dir, Version: version, Total: plan.Size()})
	if err != nil {
		return err
	}
	return errors.Join(do(), stop("The sweep has ended: "+plan.Dir))
}

func runSweep(cmd *cobra.Command, plan *run.Plan) error {
	summary, err := plan.Run(cmd.Context())
	if summary.Begun() {
		fmt.Fprintln(cmd.OutOrStdout(), summary.Dir)
	}
	return err
}

// runInGuest lets the guest make the same plan again, with this run folder.
func runInGuest(cmd *cobra.Command, plan *run.Plan) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	guest := guest.Sweep{
		Binary: self, Dir: plan.Dir,
		Files: map[string]string{"--file": plan.SweepFile, "--testbed": plan.TestbedFile},
	}
	if plan.Only != "" {
		guest.Flags = append(guest.Flags, "--only", plan.Only)
	}
	if plan.Quick {
		guest.Flags = append(guest.Flags, "--quick")
	}
	return guest.Run(cmd.Context(), cmd.OutOrStdout(), foreign.Raw(cmd.ErrOrStderr()))
}
