package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

func main() {
	each := flag.Duration("time", 20*time.Second, "of each target")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	r := runner{goCommand: "go", each: *each, out: os.Stdout}
	if own := os.Getenv("GO"); own != "" {
		r.goCommand = own
	}
	if err := r.all(ctx, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "fuzzall:", err)
		os.Exit(1) //nolint:gocritic // stop only gives the signals back
	}
}

type runner struct {
	goCommand, dir string // "": this folder
	each           time.Duration
	out            io.Writer
}

// all runs every target of the packages, and goes on after a failed one.
func (r *runner) all(ctx context.Context, packages []string) error {
	list, err := r.output(ctx, append([]string{"list"}, packages...)...)
	if err != nil {
		return err
	}
	var failed []string
	for _, pkg := range strings.Fields(list) {
		targets, err := r.targets(ctx, pkg)
		if err != nil {
			failed = append(failed, fmt.Sprintf("%s: %v", pkg, err))
		}
		for _, target := range targets {
			if r.target(ctx, pkg, target) == found {
				failed = append(failed, pkg+" "+target)
			}
			if ctx.Err() != nil {
				return errors.New("interrupted")
			}
		}
	}
	if len(failed) > 0 {
		return fmt.Errorf("%d failed:\n  %s", len(failed), strings.Join(failed, "\n  "))
	}
	return nil
}

// targets are the fuzz targets of a package.
func (r *runner) targets(ctx context.Context, pkg string) (names []string, err error) {
	list, err := r.output(ctx, "test", "-list", "^Fuzz", pkg)
	for line := range strings.Lines(list) {
		if name := strings.TrimSpace(line); strings.HasPrefix(name, "Fuzz") {
			names = append(names, name)
		}
	}
	return names, err
}

// target runs one target, and runs it once more if its time ran out.
func (r *runner) target(ctx context.Context, pkg, name string) (v verdict) {
	for range 2 {
		var said bytes.Buffer
		err := r.run(ctx, io.MultiWriter(r.out, &said), "test", "-run", "XXX",
			"-fuzz", "^"+name+"$", "-fuzztime", r.each.String(), pkg)
		v = judge(err, said.String())
		fmt.Fprintf(r.out, "fuzzall: %s %s: %v, %s inputs tried\n", pkg, name, v,
			tried(said.String()))
		if v != outOfTime || ctx.Err() != nil {
			break
		}
	}
	return v
}

// output runs the go command and returns its output. The error contains the output, too.
func (r *runner) output(ctx context.Context, args ...string) (string, error) {
	var said bytes.Buffer
	err := r.run(ctx, &said, args...)
	if err != nil {
		err = fmt.Errorf("go %s: %w: %s", strings.Join(args, " "), err,
			strings.TrimSpace(said.String()))
	}
	return said.String(), err
}

// run runs the go command with one writer for stdout and stderr, because their order matters.
func (r *runner) run(ctx context.Context, to io.Writer, args ...string) error {
	cmd := exec.CommandContext(ctx, r.goCommand, args...)
	cmd.Dir = r.dir
	cmd.Stdout, cmd.Stderr = to, to
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	return cmd.Run()
}
