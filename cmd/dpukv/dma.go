package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dpukv/internal/cpu"
	"dpukv/probe"
	"dpukv/probe/dma"
)

// dmaFlags are the flags of dpukv dma before parsing.
type dmaFlags struct {
	axes             map[string]*string // by the axis
	cpus             string
	all, asJSON      bool
	warmup, duration seconds
	seed             uint64
}

func newDMACommand() *cobra.Command {
	f := dmaFlags{axes: map[string]*string{}}
	cmd := &cobra.Command{
		Use:   "dma",
		Short: "Measure copies of memory as a DMA engine makes them: latency, throughput, core use",
		Long: `Measure copies of memory on this machine: latency of one copy at a time, throughput of a batch in
flight, and the core use of the thread that initiates them. A write copies into a region four times
as large as the last-level cache, a read copies from it. The time of a copy ends with its
completion.

The engine cpu is a core. It is the baseline for DMA engines, and each table says so.`,
		Example: `  dpukv dma -s 64,1048576 --op write,read
  dpukv dma -a --test latency --completion poll,event --json`,
		Args: exactArgs(0, "arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	for i := range dma.Kind.Axes {
		a := &dma.Kind.Axes[i]
		name, short := a.Name, ""
		if name == "bytes" {
			name, short = "size", "s"
		}
		f.axes[a.Name] = flags.StringP(name, short, strings.Join(a.Default, ","),
			a.Help+"; allowed, with commas between: "+a.Codec.Allowed)
	}
	f.duration, f.warmup = seconds(time.Second), seconds(100*time.Millisecond)
	flags.BoolVarP(&f.all, "all", "a", false, "all sizes from 2 bytes to 8 MB")
	flags.VarP(&f.duration, "duration", "D", "time for each size, in seconds")
	flags.Var(&f.warmup, "warmup", "time before each measurement, in seconds")
	flags.StringVar(&f.cpus, "cpus", "",
		"CPUs: of the initiator, and of the thread that copies for it (default: the scheduler "+
			"chooses)")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of the bytes that are compared")
	flags.BoolVar(&f.asJSON, "json", false, "one JSON object instead of tables")
	return cmd
}

func (f *dmaFlags) run(cmd *cobra.Command) error {
	values, task, err := f.understand(cmd)
	if err != nil {
		return usagef("dma: %w", err)
	}
	add := dma.NewTable(cmd.OutOrStdout()).Add
	var rows []*dma.Row
	if f.asJSON {
		add = func(r *dma.Row) error { rows = append(rows, r); return nil }
	}
	if err := dma.Series(cmd.Context(), values, task, add); err != nil {
		return err
	}
	if f.asJSON {
		return dma.WriteJSON(cmd.OutOrStdout(), rows)
	}
	return nil
}

// understand parses the flags' texts.
func (f *dmaFlags) understand(cmd *cobra.Command) (map[string][]string, probe.Task, error) {
	task := probe.Task{
		Warmup: time.Duration(f.warmup), Duration: time.Duration(f.duration), Seed: f.seed,
	}
	if task.Duration <= 0 {
		return nil, task, errors.New("--duration: found 0, allowed: more than 0")
	}
	values := map[string][]string{}
	for i := range dma.Kind.Axes {
		a := &dma.Kind.Axes[i]
		for word := range strings.SplitSeq(*f.axes[a.Name], ",") {
			v, err := a.Codec.Canonical(strings.TrimSpace(word))
			if err != nil {
				return nil, task, fmt.Errorf("%s: found %q, allowed: %s", a.Name, word,
					a.Codec.Allowed)
			}
			values[a.Name] = append(values[a.Name], v)
		}
	}
	switch changed := cmd.Flags().Changed; {
	case f.all && changed("size"):
		return nil, task, errors.New("found --all and --size, allowed: one of them")
	case f.all:
		values["bytes"] = dma.AllBytes()
	}
	if f.cpus == "" {
		return values, task, nil
	}
	var err error
	if task.CPUs, err = cpu.ParseList(f.cpus); err == nil {
		err = cpu.MayUse(task.CPUs)
	}
	if err != nil {
		return nil, task, fmt.Errorf("--cpus: %w", err)
	}
	if slices.Contains(values["completion"], "event") && len(task.CPUs) == 1 {
		return nil, task, errors.New("--cpus: found one CPU for completion event, allowed: two " +
			"or more")
	}
	return values, task, nil
}
