package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"dpukv/bench/others"
	"dpukv/internal/test/performance"
)

// part is a run of "go test".
type part struct {
	dir, pkg  string // dir is relative to the repository
	benchmark string
	benchtime string
	repeats   int
}

// full takes some 30 minutes with two repeats.
func full(repeats int) []part {
	parts := []part{{"bench", ".", ".", "1s", repeats}}
	for _, pkg := range []string{
		"./kvs/herd", "./kvs/onesided", "./verbs/softroce", "./verbs/mqueue", "./load/trace",
	} {
		parts = append(parts, part{".", pkg, ".", "1s", repeats})
	}
	for _, pkg := range []string{"./kvs/mica", "./kvs/redis", "./kvs/memcached"} {
		parts = append(parts, part{".", pkg, "^BenchmarkSession$", "1s", repeats})
	}
	return parts
}

// only returns the parts whose packages' paths match an expression.
func only(parts []part, of string) ([]part, error) {
	wanted, err := regexp.Compile(of)
	if err != nil {
		return nil, fmt.Errorf("-parts: %w", err)
	}
	parts = slices.DeleteFunc(parts, func(p part) bool {
		return !wanted.MatchString(path.Join(p.dir, p.pkg))
	})
	if len(parts) == 0 {
		return nil, fmt.Errorf("-parts: found %q, which matches no package with benchmarks", of)
	}
	return parts, nil
}

// runAll runs parts and writes their output. Each line of a repeat also has what others used.
func runAll(ctx context.Context, parts []part, out io.Writer) error {
	for i := range parts {
		p := &parts[i]
		if err := p.run(ctx, out); err != nil {
			return fmt.Errorf("benchmarks %s of %s: %w", p.benchmark, p.pkg, err)
		}
	}
	return nil
}

func (p *part) run(ctx context.Context, out io.Writer) error {
	cmd := exec.CommandContext(ctx, "go", "test", p.pkg, "-run", "^$", "-bench", p.benchmark,
		"-benchtime", p.benchtime, "-count", strconv.Itoa(p.repeats), "-timeout", "60m")
	cmd.Dir = filepath.Join(repository, p.dir)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // to stop it with what it starts
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	var seen []string // the last lines say why a run failed
	watch, lines := others.New(), bufio.NewScanner(stdout)
	for lines.Scan() {
		line := lines.Text()
		seen = append(seen, line)
		if isRepeat(line) {
			used, stolen := watch.Since()
			line += fmt.Sprintf("\t%.2f %s\t%.2f %s", used, performance.OthersUnit, stolen,
				performance.StolenUnit)
		}
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("%w: %s", err, strings.Join(seen[max(0, len(seen)-20):], "\n"))
	}
	return lines.Err()
}

// isRepeat tells a line with figures from one that only names a benchmark.
func isRepeat(line string) bool {
	return strings.HasPrefix(line, "Benchmark") && len(strings.Fields(line)) >= 4
}
