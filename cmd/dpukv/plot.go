package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"dpukv/examples"
	"dpukv/internal/foreign"
	"dpukv/placement/submode"
	"dpukv/placement/sweep"
	"dpukv/results"
	"dpukv/results/figure"
	"dpukv/results/probechart"
	"dpukv/results/runfolder"
)

// plotFlags are the flags of a figure before parsing.
type plotFlags struct {
	latencies, slo, formats      string
	width, font, fontSize, title string
	out                          string
	figure, table                int
	actual, logX, logY           bool
	sharedAxes, noClip           bool
}

func newPlotCommand() *cobra.Command {
	var f plotFlags
	cmd := &cobra.Command{
		Use:   "plot RUN...|HASH...",
		Short: "Draw figures from one or several run folders",
		Long: `Draw latency over throughput from the points of the run folder RUN. The figures go to RUN/figures, as
SVG, PNG and CSV. Their paths go to stdout, one per line. Failed points and unreadable lines are
named on stderr. Several run folders share their figures, which go to --out.

--figure draws a figure of the study in its layout: a panel for each GET share side by side, and a
row of panels for each latency. A figure narrower than 133 mm has a row for each GET share instead.
Figure 10 is about hash functions: it takes the files that dpukv hash --out wrote, one for each
machine, and goes to --out, or to the folder figures beside the first one.

Where GETs may miss, figures also show the hit rate over throughput, and over the memory of servers
that have a limit.

Probes, the points without a store, have figures of their own: one for each kind and test. Figures
3, 4 and 6 of the study are about probes: TCP bandwidth over cores, latency of RDMA over message
size, and memory latency over block size. --table 4 prints the memory bandwidths of the study's
Table 4, as text or with --format csv.

Text has the size of --font-size at every --width. It is at least 7 pt. A few outliers do not set
the end of the latency axis: an arrow with the value stands for each.`,
		Example: `  dpukv plot runs/2026-03-04T05-06-07
  dpukv plot runs/2026-03-04T05-06-07 --latency p50,p99.9 --log-y
  dpukv plot runs/2026-03-04T05-06-07 --figure 8 --format pdf --width 178mm --font serif
  dpukv plot host.json bf3.json --figure 10 --format pdf --width 178mm
  dpukv plot runs/probes --figure 6 --format pdf --width 85mm
  dpukv plot runs/probes --table 4`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("plot: found 0 arguments, allowed: one, the run folder, or several")
			}
			if len(args) > 1 && f.out == "" && f.figure != hashFigure && f.table == 0 {
				return usagef("plot: found %d run folders without --out, allowed: one; name a "+
					"folder for the figures of several", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.figure == hashFigure {
				return f.plotHashes(cmd, args)
			}
			if cmd.Flags().Changed("table") {
				return f.printTable(cmd, args)
			}
			options, err := f.options(cmd)
			if err != nil {
				return err
			}
			return withRun(cmd, args, func(run *runfolder.Run) error {
				return plot(cmd, run, options)
			})
		},
	}
	f.add(cmd)
	return cmd
}

func (f *plotFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.out, "out", "o", "",
		"folder of the figures (default: figures in the run folder)")
	flags.StringVar(&f.latencies, "latency", "",
		"latency figures to draw: "+latencyNames+" (default: "+results.DefaultLatencyMetrics+
			", of emulated machines with a CPU quota: p50)")
	flags.BoolVar(&f.actual, "actual", false,
		"measure latency from the actual send (default: from the intended send)")
	flags.StringVar(&f.slo, "slo", "",
		"latency bound to draw into the figures of its metric, such as p99=200us")
	flags.BoolVar(&f.logX, "log-x", false, "draw a logarithmic throughput axis")
	flags.BoolVar(&f.logY, "log-y", false, "draw a logarithmic latency axis")
	flags.IntVar(&f.figure, "figure", 0,
		"draw a figure of the study instead of all charts: 3 (TCP bandwidth), 4 (RDMA latency), "+
			"6 (memory latency), 8 (HERD), 9 (MICA), 10 (hash functions), 11 (MICA under submodes)")
	flags.IntVar(&f.table, "table", 0,
		"print a table of the study instead of figures: 4 (memory bandwidth)")
	flags.BoolVar(&f.sharedAxes, "shared-axes", false,
		"draw the same axes for all panels and figures of a latency, those of several stores too")
	flags.BoolVar(&f.noClip, "no-clip", false,
		"draw the latency axis to the greatest value, also if it flattens the rest")
	flags.StringVar(&f.formats, "format", strings.Join(figure.DefaultFormats, ","),
		"files of each figure: svg, png, pdf, csv")
	flags.StringVar(&f.width, "width", "",
		"width of a figure, such as 85mm or 178mm for a column or two of a paper (default: 6.5in)")
	flags.StringVar(&f.font, "font", "sans", "font: sans, serif, mono")
	flags.StringVar(&f.fontSize, "font-size", "",
		"size of the axes' labels, 7pt or more (default: 10pt, with --width 8pt)")
	flags.StringVar(&f.title, "title", "",
		"title of a figure, or none (default: what all its points have in common)")
}

// options parses the flags' texts.
func (f *plotFlags) options(cmd *cobra.Command) (o figure.Options, err error) {
	o = figure.Options{
		Actual: f.actual, LogX: f.logX, LogY: f.logY,
		SharedAxes: f.sharedAxes, NoClip: f.noClip, Dir: f.out,
	}
	if cmd.Flags().Changed("latency") {
		if o.Metrics, err = results.ParseLatencyMetrics(f.latencies); err != nil {
			return o, ofFlag("latency", err)
		}
	}
	if o.Bound, err = parseSLO(f.slo); err != nil {
		return o, err
	}
	if o.Formats, err = figure.ParseFormats(f.formats); err != nil {
		return o, ofFlag("format", err)
	}
	if o.Layout, err = f.layout(); err != nil {
		return o, err
	}
	if !cmd.Flags().Changed("figure") {
		return o, nil
	}
	if slices.Contains(probechart.Studies, f.figure) {
		o.Probes = f.figure
		return o, f.checkProbes(cmd)
	}
	o.Study, err = studyFigure(f.figure)
	return o, err
}

func (f *plotFlags) layout() (l figure.Layout, err error) {
	l.NoTitle = f.title == "none"
	l.Title = f.title
	if f.width != "" {
		if l.Width, err = figure.ParseWidth(f.width); err != nil {
			return l, ofFlag("width", err)
		}
	}
	if f.fontSize != "" {
		if l.FontSize, err = figure.ParseFontSize(f.fontSize); err != nil {
			return l, ofFlag("font-size", err)
		}
	}
	if l.Font, err = figure.ParseFont(f.font); err != nil {
		return l, ofFlag("font", err)
	}
	return l, nil
}

// checkProbes refuses flags that a figure of probes has no use for.
func (f *plotFlags) checkProbes(cmd *cobra.Command) error {
	refused := []string{"actual", "slo", "no-clip"}
	if f.figure != 4 {
		refused = append(refused, "latency")
	}
	err := refuse(cmd, fmt.Sprintf("--figure %d", f.figure), "figures of stores", refused...)
	if err != nil {
		return err
	}
	if list, _ := results.ParseLatencyMetrics(f.latencies); len(list) > 1 {
		return usagef("--latency: found %d with --figure 4, allowed: one", len(list))
	}
	return nil
}

// refuse refuses flags that another one has no use for.
func refuse(cmd *cobra.Command, with, allowed string, flags ...string) error {
	for _, name := range flags {
		if cmd.Flags().Changed(name) {
			return usagef("--%s: found it with %s, allowed: %s", name, with, allowed)
		}
	}
	return nil
}

// printTable prints the study's table of memory bandwidths.
func (f *plotFlags) printTable(cmd *cobra.Command, args []string) error {
	if f.table != 4 {
		return usagef("--table: found %d, allowed: 4", f.table)
	}
	err := refuse(cmd, "--table 4", "--format csv", "figure", "latency", "actual", "slo", "log-x",
		"log-y", "shared-axes", "no-clip", "width", "font", "font-size", "title", "out")
	if err != nil {
		return err
	}
	if cmd.Flags().Changed("format") && f.formats != "csv" {
		return usagef("--format: found %q with --table 4, allowed: csv", f.formats)
	}
	return withRun(cmd, args, func(run *runfolder.Run) error {
		return writeBandwidths(cmd, run)
	})
}

func writeBandwidths(cmd *cobra.Command, run *runfolder.Run) error {
	points, bad, err := run.Probes()
	if err != nil {
		return err
	}
	for _, b := range bad {
		fmt.Fprintln(cmd.ErrOrStderr(), b.Said())
	}
	env, _, err := run.Env()
	if err != nil {
		return err
	}
	list := probechart.Bandwidths(points, probechart.NewNodes(env))
	if len(list) == 0 {
		return fmt.Errorf("run folder %s: found no memory bandwidth, allowed: points of STREAM's "+
			"kernels; to measure it, a sweep with measure: [{memory: {test: [copy, scale, add, "+
			"triad]}}]", run.Dir())
	}
	if cmd.Flags().Changed("format") {
		return probechart.WriteBandwidths(cmd.OutOrStdout(), list)
	}
	return probechart.BandwidthTable(list).WriteText(cmd.OutOrStdout())
}

// studyFigure returns the figure of the study with this number. The sweep that measures the figure
// says what belongs to it.
func studyFigure(number int) (*figure.Study, error) {
	study := figure.Study{Number: number}
	switch number {
	case 8, 9:
		study.AlsoSubmodes = []string{submode.OffPathSF}
	case 11:
		study.AlsoSubmodes = []string{submode.OffPath, submode.Direct}
		study.LogY = true
	default:
		return nil, usagef("--figure: found %d, allowed: 3, 4, 6, 8, 9, 10, 11", number)
	}
	name := "fig" + strconv.Itoa(number)
	data, err := examples.Read(name)
	if err != nil {
		return nil, err
	}
	name += ".yaml"
	s, err := sweep.Parse(name, data)
	if err != nil {
		return nil, err
	}
	study.Example = "examples/" + name
	study.Store = s.Values("store")[0]
	study.Placements, study.Submodes = s.Values("placement"), s.Values("submode")
	for text := range strings.SplitSeq(s.Value("get_ratio"), ", ") {
		ratio, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: get_ratio: %w", name, err)
		}
		study.GetRatios = append(study.GetRatios, ratio)
	}
	return &study, nil
}

// parseSLO reads the flag --slo. It returns nil if the flag is not set.
func parseSLO(text string) (*results.Bound, error) {
	if text == "" {
		return nil, nil
	}
	bound, err := results.ParseBound(text)
	if err != nil {
		return nil, ofFlag("slo", err)
	}
	return &bound, nil
}

func plot(cmd *cobra.Command, run *runfolder.Run, options figure.Options) error {
	drawing, err := figure.Draw(run, options)
	for _, warning := range drawing.Warnings {
		fmt.Fprintln(cmd.ErrOrStderr(), foreign.Line(warning))
	}
	for _, path := range drawing.Paths {
		fmt.Fprintln(cmd.OutOrStdout(), path)
	}
	return err
}
