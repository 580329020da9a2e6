package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"dpukv/internal/test/performance"
	"dpukv/results"
	"dpukv/results/runfolder"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: peers DPUKV SWEEP.yaml…")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

// run prints a table for each sweep, and writes all into a result file.
func run(dpukv string, sweeps []string) error {
	file, err := performance.Create("..")
	if err != nil {
		return err
	}
	defer file.Close()
	for i, sweep := range sweeps {
		text, err := os.ReadFile(sweep)
		if err != nil {
			return err
		}
		if needs := threads(string(text)); needs > runtime.NumCPU() {
			fmt.Printf("%s left out: found %d CPUs, needed %d, one for each thread\n", sweep,
				runtime.NumCPU(), needs)
			continue
		}
		points, err := measure(dpukv, sweep)
		if err != nil {
			return err
		}
		if i == 0 {
			fmt.Fprintln(file, "pkg: dpukv/bench/peers")
		}
		if err := table(os.Stdout, points); err != nil {
			return err
		}
		if err := lines(file, points); err != nil {
			return err
		}
	}
	return file.Finish()
}

var threadsOf = regexp.MustCompile(`(?m)^(?:server|client)_threads: (\d+)$`)

// threads is how many threads server and client of a sweep have.
func threads(sweep string) (sum int) {
	for _, m := range threadsOf.FindAllStringSubmatch(sweep, -1) {
		n, _ := strconv.Atoi(m[1])
		sum += n
	}
	return sum
}

// measure runs a sweep into a temporary folder.
func measure(dpukv, sweep string) ([]results.Point, error) {
	dir, err := os.MkdirTemp("", "peers-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	cmd := exec.Command(dpukv, "sweep", "-f", sweep, "--out", filepath.Join(dir, "run"))
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	run, err := runfolder.Open(filepath.Join(dir, "run"))
	if err != nil {
		return nil, err
	}
	points, unreadable, err := run.Points()
	if err != nil || unreadable != nil {
		return nil, fmt.Errorf("read the points: %w (%v)", err, unreadable)
	}
	return points, nil
}
