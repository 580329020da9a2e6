package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"dpukv/internal/outfile"
	"dpukv/results"
	"dpukv/results/live"
	"dpukv/results/report"
	"dpukv/results/runfolder"
)

func newReportCommand() *cobra.Command {
	var slo, latency, out, address string
	cmd := &cobra.Command{
		Use:   "report RUN...",
		Short: "Make one page, which opens offline, from one or several run folders",
		Long: `Write RUN/report.html. At its top the page says which placement or configuration is best, by how
much, and how sure that is. Below are curves to hover over, filter and save, the tables behind them,
the warnings, the study's claims, and the facts of each machine. If the run has probes, the page
also says what each curve is made of. The page needs no network and no other file. Its path goes to
stdout. Unreadable lines of the folder are named on stderr and in the page. A page of several run
folders needs --out.

With --serve nothing is written: the page follows a folder that a sweep is filling, until it is
interrupted.`,
		Example: `  dpukv report runs/2026-03-04T05-06-07
  dpukv report runs/2026-03-04T05-06-07 --slo p99=200us -o /tmp/for-the-team.html`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 && out != "" && address == "" {
				return nil
			}
			if len(args) > 1 {
				return usagef("report: found %d run folders, allowed: one, or several with --out "+
					"FILE and without --serve", len(args))
			}
			return exactArgs(1, "run folder")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			options := report.Options{Version: version}
			var err error
			if options.Metric, err = shownFirst(latency); err != nil {
				return err
			}
			if options.Bound, err = parseSLO(slo); err != nil {
				return err
			}
			if address != "" {
				return serveReport(cmd, args[0], address, options)
			}
			return writeReport(cmd, args, out, options)
		},
	}
	cmd.Flags().StringVar(&latency, "latency", "",
		"latency that the page shows first: "+latencyNames+" (default: p99, of emulated machines "+
			"with a CPU quota: p50)")
	cmd.Flags().StringVar(&slo, "slo", "",
		"latency bound that the page shows first, such as p99=200us")
	cmd.Flags().StringVarP(&out, "out", "o", "",
		"file to write (default: report.html in the run folder)")
	cmd.Flags().StringVar(&address, "serve", "",
		"address at which to serve the page, such as 127.0.0.1:8080, and write none; /metrics is "+
			"for Prometheus")
	return cmd
}

// latencyNames are those that a flag may name.
var latencyNames = strings.Join(results.Names(results.LatencyMetrics()), ", ")

// shownFirst parses the latency that a page shows first. Nil leaves it to the page.
func shownFirst(latency string) (m *results.Metric, err error) {
	if latency == "" {
		return m, nil
	}
	metrics, err := results.ParseLatencyMetrics(latency)
	if err != nil || len(metrics) != 1 {
		return m, usagef("--latency: found %q, allowed: one of %s", latency, latencyNames)
	}
	return metrics[0], nil
}

func serveReport(cmd *cobra.Command, dir, address string, o report.Options) error {
	if _, err := openRun(dir); err != nil {
		return err
	}
	stop, err := serveLive(cmd, address,
		live.Options{Dir: dir, Version: version, Metric: o.Metric, Bound: o.Bound})
	if err != nil {
		return err
	}
	<-cmd.Context().Done()
	return stop("The report is no longer served.")
}

// serveLive serves a run folder until the caller calls stop with the outcome. Without an address it
// does nothing.
func serveLive(
	cmd *cobra.Command, address string, options live.Options,
) (stop func(ending string) error, err error) {
	if address == "" {
		return func(string) error { return nil }, nil
	}
	server, err := live.Start(address, options)
	if err != nil {
		return nil, ofFlag("serve", err)
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "the report is at", server.URL())
	if !server.Loopback() {
		fmt.Fprintln(cmd.ErrOrStderr(), "anyone who reaches this address can read it")
	}
	return server.Close, nil
}

func writeReport(cmd *cobra.Command, dirs []string, out string, options report.Options) error {
	var model *report.Model
	var folder *runfolder.Run
	if len(dirs) > 1 {
		options.Name = strings.Join(dirs, " + ")
	}
	err := withRun(cmd, dirs, func(run *runfolder.Run) (err error) {
		folder = run
		model, err = report.Read(run, options)
		return err
	})
	if err != nil {
		return err
	}
	for _, line := range model.BadLines {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", model.Dir, line)
	}
	write := func(w io.Writer) error { return model.Write(w, false) }
	if out == "" {
		out, err = folder.WriteReport(write)
	} else {
		err = outfile.Write(out, write)
	}
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), out)
	return err
}
