package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dpukv/hashbench"
	"dpukv/hashbench/measure"
	"dpukv/hashbench/quality"
	"dpukv/hashbench/report"
	"dpukv/hashbench/result"
	"dpukv/hashbench/smhasher"
	"dpukv/internal/cpu"
	"dpukv/internal/outfile"
)

// hashFlags are the flags of a hash benchmark before parsing.
type hashFlags struct {
	functions, lengths, modes, aligns  string
	cpu, out, figures, testbed         string
	rounds                             int
	duration                           time.Duration
	seed                               uint64
	quick, asJSON, bench, compat, qual bool
	endWithStdin                       bool
}

func newHashCommand() *cobra.Command {
	var f hashFlags
	cmd := &cobra.Command{
		Use:   "hash",
		Short: "Measure the cost of hash functions on a core of this machine",
		Long: `Measure the cost of hash functions on a core of this machine, in nanoseconds of CPU time. Latency
means that each call waits for the last one; the cost of the measuring loop is subtracted from it.
Throughput includes its loop. Both are measured, for fixed and for random lengths. Every function is
first compared with its published test vectors.

To compare a DPU with its host, copy the binary to the DPU. Run it on both with --out, and give both
files to "dpukv hash compare".`,
		Example: `  dpukv hash --quick
  dpukv hash --out host.json
  dpukv hash --functions city64,xxh3-64 --lengths 8,16,1-32 --modes throughput
  dpukv hash compare host.json dpu.json
  dpukv hash --testbed testbed.yaml --out hashes --figures hashes
  dpukv hash --quality --functions city64,fnv1a-32`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("hash: found the unknown command %q, allowed: compare, list, or "+
					"none", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.quick, "quick", false,
		"measure only the study's cases, in about 20 s (default: all, in about 5 min)")
	flags.StringVar(&f.functions, "functions", "",
		`functions, separated by commas; "city" is its whole family (default: all; see dpukv hash list)`)
	flags.StringVar(&f.lengths, "lengths", "",
		"lengths such as 16,256KiB, or ranges such as 1-32 for random ones (default: those of "+
			"--quick or all)")
	flags.StringVar(&f.modes, "modes", "latency,throughput",
		"modes with --lengths: latency, throughput or both")
	flags.StringVar(&f.aligns, "align", "0",
		"alignments of the input with --lengths, 0 to 7, such as 0,1,4")
	flags.IntVar(&f.rounds, "rounds", measure.DefaultRounds,
		"interleaved rounds of each function and case, 6 or more")
	flags.DurationVar(&f.duration, "duration", 0,
		"time for the whole measurement, approximately (default: 20s with --quick, else 5m)")
	flags.StringVar(&f.cpu, "cpu", "",
		"CPU for the measurement (default: the last one that this process may use)")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of inputs, random lengths and the order of rounds")
	flags.StringVarP(&f.out, "out", "o", "",
		"JSON file for the report, beside the print (with --testbed: a folder with a file for "+
			"each node)")
	flags.StringVar(&f.figures, "figures", "", "folder for figures")
	flags.StringVar(&f.testbed, "testbed", "",
		"testbed file: measure on each of its machines, one after the other, and compare them")
	flags.BoolVar(&f.endWithStdin, "end-with-stdin", false,
		"end with stdin: for a run that another machine started")
	_ = flags.MarkHidden("end-with-stdin") // the flag is there
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON object instead of tables")
	flags.BoolVar(&f.bench, "bench", false, "print one line for each round, for benchstat")
	flags.BoolVar(&f.compat, "smhasher-compat", false,
		"measure in SMHasher's loop too, and say what SMHasher would print here")
	flags.BoolVar(&f.qual, "quality", false,
		"measure quality instead of times: avalanche, and how many of MICA's buckets overflow")
	cmd.AddCommand(newHashCompareCommand(), newHashListCommand())
	return cmd
}

func (f *hashFlags) run(cmd *cobra.Command) error {
	if f.testbed != "" && (f.asJSON || f.bench || f.qual) {
		return usagef("hash: found --testbed with --json, --bench or --quality, allowed: " +
			"without; use --out DIR for each machine's JSON")
	}
	list, err := findFunctions(f.functions)
	if err != nil {
		return usagef("hash: %w", ofFlag("functions", err))
	}
	for _, fn := range list {
		if err := fn.Check(); err != nil {
			return err
		}
	}
	if f.qual {
		return f.quality(cmd, list)
	}
	cfg, err := f.config(list)
	if err != nil {
		return usagef("hash: %w", err)
	}
	if f.testbed != "" {
		return (&hashTestbed{hashFlags: f, cmd: cmd, list: list, cfg: cfg}).run()
	}
	if f.endWithStdin {
		cmd.SetContext(endWithStdin(cmd.Context(), cmd.InOrStdin()))
	}
	r, err := f.measure(cmd, list, cfg)
	if err != nil {
		return err
	}
	return f.write(cmd.OutOrStdout(), cmd.ErrOrStderr(), r)
}

// findFunctions reads a list of names of functions or families. An empty list means all functions.
func findFunctions(text string) ([]hashbench.Func, error) {
	if text == "" {
		return hashbench.All(), nil
	}
	var list []hashbench.Func
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		if family := hashbench.Family(name); len(family) > 0 {
			list = append(list, family...)
			continue
		}
		f, err := hashbench.Find(name)
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
}

// config parses the flags' texts.
func (f *hashFlags) config(list []hashbench.Func) (cfg measure.Config, err error) {
	cfg = measure.Config{
		Contenders: measure.OfAll(list), Cases: measure.FullCases(),
		Rounds: f.rounds, Duration: f.duration, Seed: f.seed,
	}
	if f.quick {
		cfg.Cases = result.MainCases()
	}
	if f.lengths != "" {
		if cfg.Cases, err = f.cases(); err != nil {
			return cfg, err
		}
	}
	switch {
	case f.asJSON && f.bench:
		return cfg, errors.New("found --json and --bench, allowed: one of them")
	case f.duration < 0:
		return cfg, fmt.Errorf("--duration: found %v, allowed: more than 0", f.duration)
	case f.duration == 0 && f.quick:
		cfg.Duration = measure.QuickDuration
	case f.duration == 0:
		cfg.Duration = measure.FullDuration
	}
	cfg.CPU, err = chooseCPU(f.cpu)
	if err == nil {
		err = cfg.Validate()
	}
	return cfg, err
}

// cases are all lengths with all modes and alignments.
func (f *hashFlags) cases() ([]result.Case, error) {
	var list []result.Case
	for length := range strings.SplitSeq(f.lengths, ",") {
		lo, hi, err := result.ParseLengths(length)
		if err != nil {
			return nil, ofFlag("lengths", err)
		}
		for mode := range strings.SplitSeq(f.modes, ",") {
			for align := range strings.SplitSeq(f.aligns, ",") {
				n, err := strconv.Atoi(align)
				if err != nil {
					return nil, fmt.Errorf("--align: found %q, allowed: 0 to "+
						"%d", align, result.MaxAlign)
				}
				list = append(list, result.Case{
					Mode: result.Mode(mode), MinBytes: lo, MaxBytes: hi,
					Align: n,
				})
			}
		}
	}
	return list, nil
}

// chooseCPU is the requested CPU. The default is the last allowed one, because the first ones
// handle most interrupts.
func chooseCPU(text string) (int, error) {
	allowed, err := cpu.Allowed()
	if err != nil {
		return 0, err
	}
	if text == "" {
		return allowed[len(allowed)-1], nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("--cpu: found %q, allowed: one of %s", text, cpu.FormatList(allowed))
	}
	return n, nil
}

func (f *hashFlags) measure(
	cmd *cobra.Command, list []hashbench.Func, cfg measure.Config,
) (*result.Report, error) {
	say := cmd.ErrOrStderr()
	fmt.Fprintf(say, "%d functions, %d cases, %d rounds: about %v\n", len(list), len(cfg.Cases),
		cfg.Rounds, cfg.Duration)
	cfg.OnProgress = func(done, passes int) {
		if done*4/passes > (done-1)*4/passes && done < passes {
			fmt.Fprintf(say, "%d of %d rounds\n", done, passes)
		}
	}
	r, err := measure.Run(cmd.Context(), cfg)
	if err != nil {
		return nil, fmt.Errorf("hash: %w", err)
	}
	r.Version = version
	if f.compat {
		r.SMHasher, err = smhasher.Run(cmd.Context(), list, cfg.CPU, r.Clock.CoreHz, f.quick)
	}
	return r, err
}

// write writes the report to all requested places.
func (f *hashFlags) write(out, say io.Writer, r *result.Report) error {
	if f.out != "" {
		if err := outfile.Write(f.out, writeHashReport(r)); err != nil {
			return fmt.Errorf("hash: --out: %w", err)
		}
	}
	if f.figures != "" {
		if err := f.draw(say, []report.Machine{{Name: r.Machine.Hostname, Report: r}}); err != nil {
			return err
		}
	}
	switch {
	case f.asJSON:
		return json.NewEncoder(out).Encode(r)
	case f.bench:
		return report.WriteBench(out, r)
	}
	return report.WriteTable(out, r)
}

// draw draws the figures and names their files.
func (f *hashFlags) draw(say io.Writer, machines []report.Machine) error {
	paths, err := report.DrawFigures(f.figures, machines)
	for _, path := range paths {
		fmt.Fprintln(say, path)
	}
	if err != nil {
		return fmt.Errorf("hash: --figures: %w", err)
	}
	return nil
}

func (f *hashFlags) quality(cmd *cobra.Command, list []hashbench.Func) error {
	cfg := quality.Default
	if f.quick {
		cfg = quality.Quick
	}
	cfg.Seed = f.seed
	r, err := quality.Run(cmd.Context(), list, cfg)
	if err != nil {
		return fmt.Errorf("hash: %w", err)
	}
	return show(cmd, f.asJSON, r, r.WriteTable)
}
