package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"dpukv/examples"
	"dpukv/hashbench/report"
	"dpukv/placement/submode"
	"dpukv/placement/sweep"
	"dpukv/results"
	"dpukv/results/figure"
	"dpukv/results/runfolder"
)

// plotFlags are the flags of a figure before parsing.
type plotFlags struct {
	latencies, slo, formats      string
	width, font, fontSize, title string
	out                          string
	figure                       int
	actual, logX, logY           bool
	sharedAxes, noClip           bool
}

func newPlotCommand() *cobra.Command {
	var f plotFlags
	cmd := &cobra.Command{
		Use:   "plot RUN...|HASH...",
		Short: "Draw the figures of a run folder, or of several",
		Long: `Draw latency over throughput from the points of the run folder RUN. The figures go to RUN/figures, as
SVG, PNG and CSV. Their paths go to stdout, one per line. Failed points and unreadable lines are
named on stderr. Several run folders share their figures, which go to --out.

--figure draws a figure of the study in its layout: a panel for each GET share side by side, and a
row of panels for each latency. A figure narrower than 133 mm has a row for each GET share instead.
Figure 10 is about hash functions: it takes the files that dpukv hash --out wrote, one for each
machine, and goes to --out, or to the folder figures beside the first one.

Text has the size of --font-size at every --width. It is at least 7 pt. A few outliers do not set
the end of the latency axis: an arrow with the value stands for each.`,
		Example: `  dpukv plot runs/2026-03-04T05-06-07
  dpukv plot runs/2026-03-04T05-06-07 --latency p50,p99.9 --log-y
  dpukv plot runs/2026-03-04T05-06-07 --figure 8 --format pdf --width 178mm --font serif
  dpukv plot host.json bf3.json --figure 10 --format pdf --width 178mm`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("plot: found 0 arguments, allowed: one, the run folder, or several")
			}
			if len(args) > 1 && f.out == "" && f.figure != hashFigure {
				return usagef("plot: found %d run folders without --out, allowed: one; name a "+
					"folder for the figures of several", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.figure == hashFigure {
				return f.plotHashes(cmd, args)
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
		"latency figures to draw: mean, p50, p95, p99, p99.9, max (default: "+
			results.DefaultLatencyMetrics+", of emulated machines with a CPU quota: p50)")
	flags.BoolVar(&f.actual, "actual", false,
		"latency from the actual send (default: from the intended send)")
	flags.StringVar(&f.slo, "slo", "",
		"latency bound to draw into the figures of its measure, such as p99=200us")
	flags.BoolVar(&f.logX, "log-x", false, "logarithmic throughput axis")
	flags.BoolVar(&f.logY, "log-y", false, "logarithmic latency axis")
	flags.IntVar(&f.figure, "figure", 0,
		"figure of the study instead of all charts: 8 (HERD), 9 (MICA), 10 (hash functions), "+
			"11 (MICA under submodes)")
	flags.BoolVar(&f.sharedAxes, "shared-axes", false,
		"same axes for all panels and figures of a latency, those of several stores too")
	flags.BoolVar(&f.noClip, "no-clip", false,
		"latency axis to the greatest value, also if it flattens the rest")
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
			return o, usagef("--latency: %w", err)
		}
	}
	if o.Bound, err = parseSLO(f.slo); err != nil {
		return o, err
	}
	if o.Formats, err = figure.ParseFormats(f.formats); err != nil {
		return o, usagef("--format: %w", err)
	}
	if o.Layout, err = f.layout(); err != nil {
		return o, err
	}
	if cmd.Flags().Changed("figure") {
		o.Study, err = studyFigure(f.figure)
	}
	return o, err
}

func (f *plotFlags) layout() (l figure.Layout, err error) {
	l.NoTitle = f.title == "none"
	l.Title = f.title
	if f.width != "" {
		if l.Width, err = figure.ParseWidth(f.width); err != nil {
			return l, usagef("--width: %w", err)
		}
	}
	if f.fontSize != "" {
		if l.FontSize, err = figure.ParseFontSize(f.fontSize); err != nil {
			return l, usagef("--font-size: %w", err)
		}
	}
	if l.Font, err = figure.ParseFont(f.font); err != nil {
		return l, usagef("--font: %w", err)
	}
	return l, nil
}

// hashFigure is the study's figure of hash functions. It comes from reports, not from a run folder.
const hashFigure = 10

// plotHashes draws the study's figure of hash functions.
func (f *plotFlags) plotHashes(cmd *cobra.Command, files []string) error {
	given := cmd.Flags().Changed
	for _, name := range []string{
		"latency", "actual", "slo", "log-x", "log-y", "shared-axes", "no-clip", "font", "font-size",
		"title",
	} {
		if given(name) {
			return usagef("--%s: found it with --figure 10, allowed: --format and --width", name)
		}
	}
	page := report.Page{}
	if given("format") {
		var err error
		if page.Formats, err = figure.ParseFormats(f.formats); err != nil {
			return usagef("--format: %w", err)
		}
		if slices.Contains(page.Formats, "csv") {
			return usagef("--format: found csv with --figure 10, allowed: svg, png, pdf; the " +
				"reports have the numbers")
		}
	}
	layout, err := f.layout()
	if err != nil {
		return err
	}
	page.Width = layout.Width
	machines, err := hashReports(cmd, files)
	if err != nil {
		return usagef("plot: %w", err)
	}
	dir := cmp.Or(f.out, filepath.Join(filepath.Dir(files[0]), "figures"))
	paths, err := report.DrawStudy(dir, machines, page)
	for _, path := range paths {
		fmt.Fprintln(cmd.OutOrStdout(), path)
	}
	return err
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
		return nil, usagef("--figure: found %d, allowed: 8, 9, 10, 11", number)
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
	study.Store, study.Placements, study.Submodes = s.Stores[0], s.Placements, s.Submodes
	for _, text := range strings.Split(s.Value("get_ratio"), ", ") {
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
		return nil, usagef("--slo: %w", err)
	}
	return &bound, nil
}

func plot(cmd *cobra.Command, run *runfolder.Run, options figure.Options) error {
	drawing, err := figure.Draw(run, options)
	for _, warning := range drawing.Warnings {
		fmt.Fprintln(cmd.ErrOrStderr(), warning)
	}
	for _, path := range drawing.Paths {
		fmt.Fprintln(cmd.OutOrStdout(), path)
	}
	return err
}
