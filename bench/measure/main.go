package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"dpukv/internal/test/performance"
)

const repository = ".."

func main() {
	repeats := flag.Int("repeats", 5, "repeats of each benchmark, for a file")
	of := flag.String("parts", ".", "for a file: only packages whose path matches this expression")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	parts, err := only(full(*repeats), *of)
	if err == nil {
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
