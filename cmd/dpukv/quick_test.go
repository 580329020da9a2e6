package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dpukv/results"
	"dpukv/results/runfolder"
)

// build makes the real binary. A sweep starts its own binary again for its nodes, which the test's
// binary is not.
func build(t *testing.T) (dpukv string) {
	t.Helper()
	dpukv = filepath.Join(t.TempDir(), "dpukv")
	if out, err := exec.Command("go", "build", "-o", dpukv, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return dpukv
}

// TestQuickSweepKilledAndContinued kills "sweep --quick" half-way with SIGKILL, continues it with the same
// command, and holds the run folder against the schema.
func TestQuickSweepKilledAndContinued(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures for a quarter of a minute")
	}
	dpukv, dir := build(t), filepath.Join(t.TempDir(), "run")
	before := killHalfWay(t, dpukv, dir)

	again := exec.Command(dpukv, "sweep", "--quick", "--out", dir)
	var stderr bytes.Buffer
	again.Stderr = &stderr
	out, err := again.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if last := lines[len(lines)-1]; last != dir {
		t.Errorf("the last line on stdout is %q, want the folder", last)
	}
	points, err := os.ReadFile(filepath.Join(dir, "points.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(points, before) {
		t.Error("points measured before the kill were rewritten")
	}
	checkRunFolder(t, dir)
}

// killHalfWay returns the points that were whole on disk when it killed the sweep.
func killHalfWay(t *testing.T, dpukv, dir string) []byte {
	t.Helper()
	cmd := exec.Command(dpukv, "sweep", "--quick", "--out", dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "points.jsonl")
	var points []byte
	for deadline := time.Now().Add(time.Minute); bytes.Count(points, []byte("\n")) < 4; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no four points within a minute")
		}
		points, _ = os.ReadFile(file)
	}
	_ = cmd.Process.Kill() // waited for below
	_ = cmd.Wait()
	points, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return points[:bytes.LastIndexByte(points, '\n')+1]
}

func checkRunFolder(t *testing.T, dir string) {
	t.Helper()
	run, err := runfolder.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	points, bad, err := run.Points()
	if err != nil || len(bad) > 0 {
		t.Fatalf("bad lines %v, %v", bad, err)
	}
	if len(points) < 8 {
		t.Errorf("%d points, want at least 8", len(points))
	}
	ids, threads := map[string]bool{}, map[int]bool{}
	for i := range points {
		p := &points[i]
		ids[p.ID], threads[p.ClientThreads] = true, true
		if err := results.Validate(p); err != nil || p.Status != results.StatusOK {
			t.Errorf("%s: %s %s, %v", p.ID, p.Status, p.Error, err)
		}
		intervals, err := run.Histograms(p.ID)
		if err != nil {
			t.Error(err)
			continue
		}
		if merged, err := results.MergeTag(intervals, results.TagIntended); err != nil || uint64(merged.TotalCount()) != p.Ops+p.LateOps {
			t.Errorf("%s: the histogram does not count %d operations, %v", p.ID, p.Ops+p.LateOps, err)
		}
	}
	if len(ids) != len(points) || len(threads) < 2 {
		t.Errorf("%d points with %d IDs and %d thread counts", len(points), len(ids), len(threads))
	}
	for _, pattern := range []string{"figures/*.svg", "figures/*.png", "figures/*.csv", "sweep.yaml", "testbed.yaml", "env.jsonl"} {
		if found, _ := filepath.Glob(filepath.Join(dir, pattern)); len(found) == 0 {
			t.Errorf("no %s", pattern)
		}
	}
}

// TestInterruptedSweep: Ctrl-C ends a sweep in good order, with exit status 1 and word of how to go on.
func TestInterruptedSweep(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	cmd := exec.Command(build(t), "sweep", "--quick", "--out", dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if found, _ := filepath.Glob(filepath.Join(dir, "env.jsonl")); len(found) > 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the sweep does not begin")
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // its status is looked at
	if got := cmd.ProcessState.ExitCode(); got != exitFailed {
		t.Errorf("exit status %d, want %d", got, exitFailed)
	}
	if !slices.ContainsFunc(strings.Split(stderr.String(), "\n"), func(l string) bool { return strings.Contains(l, "--out "+dir) }) {
		t.Errorf("stderr does not say how to continue:\n%s", stderr.String())
	}
}
