package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dpukv/internal/cpu"
	"dpukv/kvs"
	"dpukv/probe"
	"dpukv/probe/dma"
	"dpukv/probe/memory"
	"dpukv/probe/series"
)

// localProbe is a command that measures a kind of probes on this machine.
type localProbe struct {
	kind                 *probe.Kind
	short, long, example string
	flags                map[string]string // by the axis, where the flag has another name
	shorthands           map[string]string // by the axis
	presets              []preset
	device               string // help of the flag --device; "": there is none
}

// preset is a flag that stands for values of one axis.
type preset struct {
	flag, short, help string
	axis              string
	values            []string
	set               bool
}

// localFlags are the flags of a localProbe before parsing.
type localFlags struct {
	*localProbe
	axes             map[string]*string // by the axis
	cpus             string
	asJSON           bool
	warmup, duration seconds
	seed             uint64
	device           string
}

func newProbeCommand() *cobra.Command {
	return newGroupCommand("probe", "Measure a machine's parts alone: memory, copies, RDMA",
		`Measure a part of this machine, or RDMA between two, without a store. A sweep measures the same as
points, with its key measure.`,
		newMemoryCommand(), newDMACommand(), newVerbsCommand())
}

func newDMACommand() *cobra.Command {
	return (&localProbe{
		kind:  &dma.Kind,
		short: "Measure copies of memory as a DMA engine makes them: latency, throughput, core use",
		long: `Measure copies of memory on this machine: latency of one copy at a time, throughput of a batch in
flight, and the core use of the thread that initiates them. A write copies into a region four times
as large as the last-level cache, a read copies from it. The time of a copy ends with its
completion.

The engine cpu is a core. It is the baseline for DMA engines, and each table says so. The engine
mlx5 is that of a BlueField-2 or later: mlx5dv_wr_memcpy, on a queue pair of its RDMA device. It
copies between memory of the machine that the command runs on.`,
		example: `  dpukv probe dma -s 64,1048576 --op write,read
  dpukv probe dma --engine mlx5,cpu --device mlx5_0
  dpukv probe dma -a --test latency --completion poll,event --json`,
		device: "RDMA device of the engine mlx5, as NAME or NAME/PORT (default: the only one)",
		flags:  map[string]string{"bytes": "size"}, shorthands: map[string]string{"bytes": "s"},
		presets: []preset{{
			flag: "all", short: "a", help: "measure all sizes from 2 bytes to 8 MB",
			axis: "bytes", values: dma.AllBytes(),
		}},
	}).command()
}

func newMemoryCommand() *cobra.Command {
	return (&localProbe{
		kind:  &memory.Kind,
		short: "Measure memory: latency, bandwidth, and the access pattern of a store",
		long: `Measure the memory of this machine: the latency of a dependent load, alone and beside other load,
the access pattern of a store, and the kernels of STREAM. A flag takes several values with commas
between them, and each combination is measured.`,
		example: `  dpukv probe memory --block-bytes 16KiB,1MiB,64MiB --chains 1,2
  dpukv probe memory --test copy,scale,add,triad --threads 1,all --as-the-study`,
		presets: []preset{{
			flag: "as-the-study", axis: "code", values: []string{"study"},
			help: "run STREAM's kernels unoptimised, as the study built them: --code study",
		}},
	}).command()
}

func (l *localProbe) command() *cobra.Command {
	f := localFlags{localProbe: l, axes: map[string]*string{}}
	cmd := &cobra.Command{
		Use: l.kind.Name, Short: l.short, Long: l.long, Example: l.example,
		Args: exactArgs(0, "arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	for i := range l.kind.Axes {
		a := &l.kind.Axes[i]
		f.axes[a.Name] = flags.StringP(l.flag(a.Name), l.shorthands[a.Name],
			strings.Join(a.Default, ","),
			strings.TrimSuffix(a.Help, ".")+"; one or more, with commas: "+a.Codec.Allowed)
	}
	for i := range l.presets {
		p := &l.presets[i]
		flags.BoolVarP(&p.set, p.flag, p.short, false, p.help)
	}
	if l.device != "" {
		flags.StringVarP(&f.device, "device", "d", "", l.device)
	}
	f.duration, f.warmup = seconds(time.Second), seconds(100*time.Millisecond)
	flags.VarP(&f.duration, "duration", "D", "measure for this time, such as 5s")
	flags.Var(&f.warmup, "warmup", "warm up for this time, such as 1s")
	flags.StringVar(&f.cpus, "cpus", "", "CPUs of the threads that measure, as in 0,2-3 "+
		"(default: those of this process)")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of all random choices")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON object instead of tables")
	return cmd
}

// flag is the flag of an axis.
func (l *localProbe) flag(axis string) string {
	if name := l.flags[axis]; name != "" {
		return name
	}
	return strings.ReplaceAll(axis, "_", "-")
}

func (f *localFlags) run(cmd *cobra.Command) error {
	values, err := f.values(cmd)
	if err != nil {
		return usagef("%s: %w", f.kind.Name, err)
	}
	all := f.kind.All(values)
	task, err := f.task(all)
	if err != nil {
		return usagef("%s: %w", f.kind.Name, err)
	}
	if err := series.Check(f.kind, all); err != nil {
		return usagef("%s: %w", f.kind.Name, err)
	}
	add := series.NewTable(f.kind, cmd.OutOrStdout()).Add
	var rows []*series.Row
	if f.asJSON {
		add = func(r *series.Row) error { rows = append(rows, r); return nil }
	}
	if err := series.Run(cmd.Context(), f.kind, all, task, add); err != nil {
		return fmt.Errorf("%s: %w", f.kind.Name, err)
	}
	if f.asJSON {
		return series.WriteJSON(cmd.OutOrStdout(), rows)
	}
	return nil
}

// values parses the values of the axes.
func (f *localFlags) values(cmd *cobra.Command) (map[string][]string, error) {
	values := map[string][]string{}
	for i := range f.kind.Axes {
		a := &f.kind.Axes[i]
		for word := range strings.SplitSeq(*f.axes[a.Name], ",") {
			v, err := a.Codec.Canonical(strings.TrimSpace(word))
			if err != nil {
				return nil, fmt.Errorf("--%s: found %q, allowed: %s", f.flag(a.Name), word,
					a.Codec.Allowed)
			}
			values[a.Name] = append(values[a.Name], v)
		}
	}
	for i := range f.presets {
		p := &f.presets[i]
		if name := f.flag(p.axis); p.set && cmd.Flags().Changed(name) {
			return nil, fmt.Errorf("found --%s and --%s, allowed: one of them", p.flag, name)
		}
		if p.set {
			values[p.axis] = p.values
		}
	}
	return values, nil
}

// task is what all measurements have in common.
func (f *localFlags) task(all []probe.Settings) (probe.Task, error) {
	task := probe.Task{
		Warmup: time.Duration(f.warmup), Duration: time.Duration(f.duration), Seed: f.seed,
		Device: kvs.Device{Name: f.device},
	}
	if task.Duration <= 0 {
		return task, errors.New("--duration: found 0, allowed: more than 0")
	}
	if f.cpus == "" {
		return task, nil
	}
	var err error
	if task.CPUs, err = cpu.ParseList(f.cpus); err == nil {
		err = errors.Join(cpu.MayUse(task.CPUs), cpu.PinProcess(task.CPUs))
	}
	if err != nil {
		return task, ofFlag("cpus", err)
	}
	need := slices.MaxFunc(all, func(a, b probe.Settings) int {
		return f.kind.Threads(a, false) - f.kind.Threads(b, false)
	})
	if n := f.kind.Threads(need, false); n > len(task.CPUs) {
		return task, fmt.Errorf("--cpus: found %d, allowed: %d or more for %s", len(task.CPUs), n,
			need)
	}
	return task, nil
}
