package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"dpukv/internal/machine"
	"dpukv/internal/test/performance"
)

const repository = ".."

func main() {
	quick := flag.Bool("quick", false, "compare the main ratios with the accepted ones, and write nothing")
	repeats := flag.Int("repeats", 5, "repeats of each benchmark, for a file")
	of := flag.String("parts", ".", "for a file: only packages whose path matches this expression")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	parts, err := only(full(*repeats), *of)
	switch {
	case err != nil:
	case *quick:
		err = compareQuick(ctx)
	default:
		err = write(ctx, parts)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

// write runs benchmarks into a file.
func write(ctx context.Context, parts []part) error {
	f, err := performance.Create(repository)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := runAll(ctx, parts, io.MultiWriter(f, os.Stdout)); err != nil {
		return fmt.Errorf("%w; %s has what was measured before", err, f.Name())
	}
	return f.Finish()
}

func compareQuick(ctx context.Context) error {
	all, err := performance.Read(filepath.Join(repository, performance.Folder))
	if err != nil {
		return err
	}
	var output strings.Builder
	if err := runAll(ctx, quickSuite, &output); err != nil {
		return err
	}
	now, err := performance.Parse(output.String())
	if err != nil {
		return err
	}
	return report(os.Stdout, machine.ProcessorFamily(), all, now)
}
