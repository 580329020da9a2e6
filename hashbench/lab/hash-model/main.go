package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"dpukv/hashbench"
	"dpukv/hashbench/lab/model"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
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
	fmt.Printf("%-16s  %-10s  %16s  %6s  %19s  %6s  %9s  %12s\n", "model:", "core",
		"16 B latency, ns", "cycles", "16 B throughput, ns", "cycles", "bulk GB/s", "instructions")
	for _, core := range model.Cores {
		m, err := model.New(ctx, tools, core)
		if err != nil {
			return err
		}
		for _, row := range predictAll(ctx, m, list) {
			if p := <-row; p != nil {
				fmt.Printf("%-16s  %-10s  %16.1f  %6.0f  %19.1f  %6.1f  %9.2f  %12.0f\n",
					p.Function, p.Core,
					p.LatencyNs, p.LatencyCycles, p.ThroughputNs, p.ThroughputCycles, p.BulkGBps,
					p.Instructions)
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, core := range model.Cores {
		fmt.Printf("%s: as in %s, at %.1f GHz.\n", core.Name, core.Of, core.Hz/1e9)
	}
	fmt.Println("A model from instruction traces and llvm-mca, not a measurement. The error may " +
		"be ±50 %.")
	return nil
}

// predictAll predicts as many functions at once as there are CPUs. Each row arrives when it is
// ready. A failed prediction is reported, and its row is nil.
func predictAll(
	ctx context.Context, m *model.Model, list []hashbench.Func,
) []chan *model.Prediction {
	rows := make([]chan *model.Prediction, len(list))
	for i := range rows {
		rows[i] = make(chan *model.Prediction, 1)
	}
	free := make(chan struct{}, runtime.NumCPU())
	go func() {
		for i, f := range list {
			free <- struct{}{}
			go func() {
				defer func() { <-free }()
				p, err := m.Predict(ctx, f)
				if err != nil {
					fmt.Fprintln(os.Stderr, "hash-model: left out:", err)
					rows[i] <- nil
					return
				}
				rows[i] <- &p
			}()
		}
	}()
	return rows
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
