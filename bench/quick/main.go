package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

const acceptedFile = "bench/quick/accepted.txt"

func main() {
	accept := flag.Bool("accept", false, "write the ratios to "+acceptedFile)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, "..", *accept); err != nil {
		fmt.Fprintln(os.Stderr, "quick:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, repository string, accept bool) error {
	found := ratios{}
	for _, p := range suite {
		output, err := p.run(ctx, repository)
		if err != nil {
			return fmt.Errorf("%s %s: %w: %s", p.pkg, p.benchmark, err, output)
		}
		if err := found.read(output); err != nil {
			return err
		}
	}
	now := found.spans()
	file := filepath.Join(repository, acceptedFile)
	if accept {
		names := slices.Sorted(maps.Keys(now))
		return os.WriteFile(file, formatAccepted(machine(), now, names), 0o644)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, err := parseAccepted(text)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return report(os.Stdout, before, now)
}

// report prints every ratio beside the accepted one, and which have moved.
func report(out io.Writer, before, now map[string]span) error {
	all := maps.Clone(before)
	maps.Copy(all, now)
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "ratio\taccepted\tnow\t")
	moved := 0
	for _, name := range slices.Sorted(maps.Keys(all)) {
		old, known := before[name]
		is, measured := now[name]
		note := ""
		switch {
		case !known:
			note = "new"
		case !measured:
			note = "not measured"
		default:
			note = is.moved(old)
		}
		if note != "" {
			moved++
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", name, old, is, note)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "%d of %d ratios moved. Measure again on a quiet machine before "+
		"you believe it; quick -accept accepts them.\n", moved, len(all))
	return err
}

func (s span) String() string {
	if s == (span{}) {
		return "-"
	}
	return fmt.Sprintf("%.2f (%.2f-%.2f)", s.median, s.low, s.high)
}

// machine names the processor, the kernel and the day.
func machine() string {
	name := runtime.GOARCH
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if key, value, _ := strings.Cut(line, ":"); strings.TrimSpace(key) == "model name" {
			name = strings.TrimSpace(value)
			break
		}
	}
	return fmt.Sprintf("%s, %d CPUs, %s, %s", name, runtime.NumCPU(), runtime.Version(),
		time.Now().Format(time.DateOnly))
}
