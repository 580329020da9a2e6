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

// quickSuite takes some four minutes. Four repeats beside five accepted ones can decide.
var quickSuite = []part{
	{"bench", ".", "^BenchmarkLimit$", "10000000x", 4},
	{"bench", ".", "^BenchmarkServerLimit$", "1x", 4},
	{"bench", ".", "^BenchmarkConnections$/^connections=(1|1000)$", "1x", 4},
	{"bench", ".", "^BenchmarkClient$/^window=[14]$", "1x", 4},
	{".", "./kvs/redis", "^BenchmarkSession$", "5000000x", 4},
	{".", "./kvs/memcached", "^BenchmarkSession$", "5000000x", 4},
	{".", "./kvs/herd", "^BenchmarkSHM$/^clients=[18]$/^batch=32$/./^get=100$", "10000000x", 4},
	{".", "./verbs/softroce", "^BenchmarkBatch$", "200000x", 4},
	{".", "./verbs/mqueue", "^BenchmarkRoundTrip$", "100000x", 4},
}

// leastQuiet is how many quiet repeats a median needs.
const leastQuiet = 2

// runAll runs parts and writes their output. Each line of a repeat also has what others used,
// and the times of fixed work. Benchmarks with too few quiet repeats run once more.
func runAll(ctx context.Context, parts []part, out io.Writer) error {
	var text strings.Builder
	out = io.MultiWriter(out, &text)
	f, err := newFixed(out)
	if err != nil {
		return err
	}
	if err := runEach(ctx, parts, f, out); err != nil {
		return err
	}
	all, err := performance.Parse(text.String())
	if err != nil {
		return err
	}
	short := all.Short(leastQuiet)
	var once []part
	for i := range parts {
		if again := parts[i].again(short); again != nil {
			once = append(once, *again)
		}
	}
	return runEach(ctx, once, f, out)
}

func runEach(ctx context.Context, parts []part, f *fixed, out io.Writer) error {
	for i := range parts {
		p := &parts[i]
		if err := p.run(ctx, f, out); err != nil {
			return fmt.Errorf("benchmarks %s of %s: %w", p.benchmark, p.pkg, err)
		}
	}
	return nil
}

// again is the part with only those of its benchmarks that a list has, or nil.
func (p *part) again(short []string) *part {
	name := path.Base(p.pkg)
	if name == "." {
		name = path.Base(p.dir)
	}
	var wanted []string
	for _, s := range short {
		if b, ok := strings.CutPrefix(s, name+"."); ok {
			levels := strings.Split(regexp.QuoteMeta("Benchmark"+b), "/")
			wanted = append(wanted, "^"+strings.Join(levels, "$/^")+"$")
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	again := *p
	again.benchmark = strings.Join(wanted, "|")
	return &again
}

func (p *part) run(ctx context.Context, f *fixed, out io.Writer) error {
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
	f.since() // before the first repeat
	if err := cmd.Start(); err != nil {
		return err
	}
	var seen []string // the last lines say why a run failed
	o, lines := newOthers(), bufio.NewScanner(stdout)
	for lines.Scan() {
		line := lines.Text()
		seen = append(seen, line)
		if isRepeat(line) {
			err := whileStopped(cmd.Process.Pid, func() {
				line += o.since() + f.since()
				o.read()
			})
			if err != nil {
				return fmt.Errorf("stop the benchmarks for fixed work: %w", err)
			}
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
