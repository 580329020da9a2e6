package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"dpukv/hashbench"
	"dpukv/hashbench/report"
	"dpukv/hashbench/result"
	"dpukv/results/figure"
)

func newHashCompareCommand() *cobra.Command {
	figures := ""
	cmd := &cobra.Command{
		Use:   "compare FILE FILE...",
		Short: "Compare reports of several machines with the first one",
		Long: `Compare reports that dpukv hash wrote with --out or --json on several machines. The name of a file
is the name of its machine: host.json is "host". Ratios are of times. Two times are "not told apart"
if their intervals touch.`,
		Example: `  dpukv hash compare host.json bf2.json bf3.json --figures figures`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usagef("hash compare: found %d files, allowed: two or more, as dpukv hash "+
					"--out FILE writes them", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return hashCompare(cmd, args, figures)
		},
	}
	cmd.Flags().StringVar(&figures, "figures", "",
		"folder for figures, with a bar for each machine")
	return cmd
}

// hashReports reads reports of several machines, whose names are those of the files.
func hashReports(cmd *cobra.Command, files []string) (machines []report.Machine, err error) {
	for _, path := range files {
		r, err := result.Read(cmd.Context(), path)
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		if slices.ContainsFunc(machines, func(m report.Machine) bool { return m.Name == name }) {
			name = path
		}
		machines = append(machines, report.Machine{Name: name, Report: r})
	}
	return machines, nil
}

func hashCompare(cmd *cobra.Command, files []string, figures string) error {
	machines, err := hashReports(cmd, files)
	if err != nil {
		return usagef("hash compare: %w", err)
	}
	if err := report.Compare(cmd.OutOrStdout(), machines); err != nil {
		return fmt.Errorf("hash compare: %w", err)
	}
	if figures == "" {
		return nil
	}
	f := hashFlags{figures: figures}
	return f.draw(cmd.ErrOrStderr(), machines)
}

func newHashListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the hash functions, their variants and their sources",
		Args:  exactArgs(0, "arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			t := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(t, "function\tfamily\tbits\tvariant\tfrom")
			for _, f := range hashbench.All() {
				fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\n", f.Name, f.Family, f.Bits, f.Variant,
					f.Module)
			}
			return t.Flush()
		},
	}
}

// hashFigure is the study's figure of hash functions. It comes from reports, not from a run folder.
const hashFigure = 10

// plotHashes draws the study's figure of hash functions.
func (f *plotFlags) plotHashes(cmd *cobra.Command, files []string) error {
	err := refuse(cmd, "--figure 10", "--format and --width", "latency", "actual", "slo", "log-x",
		"log-y", "shared-axes", "no-clip", "font", "font-size", "title")
	if err != nil {
		return err
	}
	page := report.Page{}
	if cmd.Flags().Changed("format") {
		if page.Formats, err = figure.ParseFormats(f.formats); err != nil {
			return ofFlag("format", err)
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
