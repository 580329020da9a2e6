// Command hash-model prints what package model predicts; make hash-model runs it.
//
//	hash-model [FUNCTION...]
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"text/tabwriter"

	"dpukv/hashbench"
	"dpukv/hashbench/model"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "hash-model:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, names []string) error {
	list, err := functions(names)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "hash-model")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	tools, err := model.Open(ctx, dir)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "model: \tcore\t16 B latency ns\tcycles\t16 B throughput ns\tcycles\tbulk GB/s\tinstructions\t")
	for _, core := range model.Cores {
		m, err := model.New(ctx, tools, core)
		if err != nil {
			return err
		}
		for _, f := range list {
			p, err := m.Predict(ctx, f)
			if err != nil {
				fmt.Fprintln(os.Stderr, "hash-model: left out:", err)
				continue
			}
			fmt.Fprintf(w, "%s\t%s\t%.1f\t%.0f\t%.1f\t%.1f\t%.2f\t%.0f\t\n", p.Function, p.Core,
				p.LatencyNs, p.LatencyCycles, p.ThroughputNs, p.ThroughputCycles, p.BulkGBps, p.Instructions)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, core := range model.Cores {
		fmt.Printf("%s: as in %s, at %.1f GHz.\n", core.Name, core.Of, core.Hz/1e9)
	}
	fmt.Println("A model from instruction traces and llvm-mca, not a measurement: take figures as ±50 %.")
	return nil
}

func functions(names []string) ([]hashbench.Func, error) {
	var list []hashbench.Func
	for _, name := range names {
		f, err := hashbench.Find(name)
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	if len(names) > 0 {
		return list, nil
	}
	for _, f := range hashbench.All() {
		if !f.PerProcess { // it may choose its instructions by the emulator's core
			list = append(list, f)
		}
	}
	return list, nil
}
