package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dpukv/placement/run"
	"dpukv/results"
	"dpukv/results/runfolder"
)

func runSweepCommand(args ...string) (stdout string, err error) {
	var out bytes.Buffer
	cmd := newSweepCommand()
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	err = cmd.ExecuteContext(cmd.Context())
	return out.String(), err
}

func TestSweepDryRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	for _, test := range []struct {
		args []string
		want []string
	}{
		{[]string{"--quick"}, []string{"[9/9] mica-CH-SH-off-path-get", " node\n", "9 points in about"}},
		{nil, []string{"72 points in about"}},
		{[]string{"--only", "client_threads=2,get_ratio=1,get_ratio=0.5"}, []string{"12 points in about"}},
		{[]string{"-f", "../../examples/mica.yaml", "--only", "repeat=1"}, []string{"12 points in about"}},
	} {
		out, err := runSweepCommand(append(test.args, "--dry-run", "--out", dir)...)
		if err != nil {
			t.Errorf("%q: %v", test.args, err)
		}
		for _, want := range test.want {
			if !strings.Contains(out, want) {
				t.Errorf("%q: got\n%s, want it to hold %q", test.args, out, want)
			}
		}
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a dry run made the run folder")
	}
}

// TestGuestFlags: the guest measures the same sweep.
func TestGuestFlags(t *testing.T) {
	plan := run.Plan{Options: run.Options{Only: "repeat=1", Set: "duration=1s", Until: "5%", Quick: true}}
	want := []string{"--only", "repeat=1", "--set", "duration=1s", "--repeats-until", "5%", "--quick"}
	if got := guestFlags(&plan); !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	if got := guestFlags(&run.Plan{}); got != nil {
		t.Errorf("without flags: found %q", got)
	}
}

func TestSweepRefusesMistakesAsUsage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.yaml")
	if err := os.WriteFile(file, []byte("keys: 10\nthreads: 4\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"-f", file}, file + `:2:1: found the unknown key "threads"`},
		{[]string{"-f", file + ".not"}, "no such file"},
		{[]string{"--quick", "-f", file}, "--quick is a sweep of its own"},
		{[]string{"--only", "x=1"}, `--only: found the unknown key "x"`},
		{[]string{"more"}, "a sweep file is given with -f"},
	} {
		_, err := runSweepCommand(test.args...)
		if err == nil || !strings.Contains(err.Error(), test.want) || !errors.As(err, new(usageError)) {
			t.Errorf("%q: got %v, want a usage error that holds %q", test.args, err, test.want)
		}
	}
}

// build makes the real binary. A sweep starts its own binary again for its nodes, and the test's
// binary can't play a node.
func build(t *testing.T) (dpukv string) {
	t.Helper()
	dpukv = filepath.Join(t.TempDir(), "dpukv")
	if out, err := exec.Command("go", "build", "-o", dpukv, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return dpukv
}

// TestQuickSweepKilledAndContinued kills "sweep --quick" half-way with SIGKILL, and continues it
// with the same command. Then it checks the run folder against the schema.
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

// killHalfWay kills the sweep, and returns the points that were whole on disk at that time.
func killHalfWay(t *testing.T, dpukv, dir string) []byte {
	t.Helper()
	cmd := exec.Command(dpukv, "sweep", "--quick", "--out", dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "points.jsonl")
	var points []byte
	for deadline := time.Now().Add(time.Minute); bytes.Count(points,
		[]byte("\n")) < 4; time.Sleep(20 * time.Millisecond) {
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
		if merged, err := results.MergeTag(intervals, results.TagIntended); err != nil ||
			uint64(merged.TotalCount()) != p.Ops+p.LateOps+p.UnsentOps {
			t.Errorf("%s: the histogram does not count %d operations, %v", p.ID, p.Ops+p.LateOps+p.UnsentOps, err)
		}
	}
	if len(ids) != len(points) || len(threads) < 2 {
		t.Errorf("%d points with %d IDs and %d thread counts", len(points), len(ids), len(threads))
	}
	for _, pattern := range []string{
		"figures/*.svg", "figures/*.png", "figures/*.csv", "sweep.yaml", "testbed.yaml",
		"env.jsonl",
	} {
		if found, _ := filepath.Glob(filepath.Join(dir, pattern)); len(found) == 0 {
			t.Errorf("no %s", pattern)
		}
	}
}

// TestInterruptedSweep: Ctrl-C ends a sweep in good order, with exit status 1 and a message on how
// to continue.
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
	if !slices.ContainsFunc(strings.Split(stderr.String(), "\n"), func(l string) bool {
		return strings.Contains(l, "--out "+dir)
	}) {
		t.Errorf("stderr does not say how to continue:\n%s", stderr.String())
	}
}
