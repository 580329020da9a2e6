package placement

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dpukv/results"
	"dpukv/results/runfolder"
)

// shortSweep is four points of real measurements.
func shortSweep(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "sweep.yaml")
	text := "get_ratios: [1, 0.5]\nclient_threads: [1, 2]\nkeys: 5000\nduration: 300ms\nwarmup: 50ms\nrepeats: 1\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestSweepOfMICA kills a sweep half-way, continues it, and looks at what it measured.
func TestSweepOfMICA(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures for seconds")
	}
	sweep, dir := shortSweep(t), filepath.Join(t.TempDir(), "run")
	killHalfWay(t, sweep, dir)
	before := readPoints(t, dir)

	var stdout, stderr tail
	plan, err := NewPlan(Options{
		SweepFile: sweep, Dir: dir, Version: "test", Stdout: &stdout, Stderr: &stderr,
		command: []string{os.Args[0], "node"}, plain: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	sum, err := plan.Run(t.Context())
	if err != nil || sum.Before != len(before) || sum.Measured != 4-len(before) {
		t.Fatalf("got %+v, %v%s", sum, err, stderr.lines())
	}
	if !strings.Contains(stdout.lines(), "CH-SH") {
		t.Errorf("no table on stdout:%s", stdout.lines())
	}
	run, err := runfolder.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range readPoints(t, dir) {
		checkMICAPoint(t, run, &p)
	}
}

// killHalfWay starts a sweep in another process and kills it once a point is in the folder.
func killHalfWay(t *testing.T, sweep, dir string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "orchestrator", sweep, dir, "", "")
	var stderr tail
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if data, _ := os.ReadFile(filepath.Join(dir, "points.jsonl")); strings.Contains(string(data), "\n") {
			break
		}
		if time.Now().After(deadline) {
			t.Errorf("no point within 30 s:%s", stderr.lines())
			break
		}
	}
	cmd.Process.Kill()
	cmd.Wait()
}

func checkMICAPoint(t *testing.T, run *runfolder.Run, p *results.Point) {
	t.Helper()
	if err := results.Validate(p); err != nil || p.Status != results.StatusOK {
		t.Errorf("%s: %v, %s", p.ID, err, p.Error)
		return
	}
	if p.Transport != "tcp" || p.Mode != "cache" || p.Access != "erew" || p.ServerAddr == "" || p.PreloadHitRate < 0.99 {
		t.Errorf("%s: transport %q, mode %q, access %q, server %q, hits after the preload %v", p.ID, p.Transport, p.Mode, p.Access, p.ServerAddr, p.PreloadHitRate)
	}
	if p.Errors > 0 || p.ServerCPUNsPerOp <= 0 || p.ClientCPUNsPerOp <= 0 {
		t.Errorf("%s: %d errors, %v and %v CPU ns an operation", p.ID, p.Errors, p.ServerCPUNsPerOp, p.ClientCPUNsPerOp)
	}
	// It is drawn: six standard deviations, for the few operations of a busy machine as for the many of an idle one.
	off := 6 * math.Sqrt(p.GetRatio*(1-p.GetRatio)/float64(p.Ops))
	if share := float64(p.Gets) / float64(p.Ops); share < p.GetRatio-off || share > p.GetRatio+off {
		t.Errorf("%s: a GET share of %.3f was measured, %v was asked for", p.ID, share, p.GetRatio)
	}
	if len(allowedCPUs(t)) > 1 && slices.Equal(p.ServerCPUs, p.ClientCPUs) {
		t.Errorf("%s: both ends ran on CPUs %v", p.ID, p.ServerCPUs)
	}
	intervals, err := run.Histograms(p.ID)
	if err != nil {
		t.Error(err)
		return
	}
	h, err := results.MergeTag(intervals, results.TagIntended)
	if err != nil || uint64(h.TotalCount()) != p.Ops+p.LateOps {
		t.Errorf("%s: the histograms hold %d operations, the point %d (%v)", p.ID, h.TotalCount(), p.Ops, err)
	}
}

func TestFullDiskEndsTheSweepAndLosesNothing(t *testing.T) {
	disk := t.TempDir()
	if err := unix.Mount("dpukv-test", disk, "tmpfs", 0, "size=48k"); err != nil {
		t.Skipf("no full disk to test with: mounting a tmpfs: %v", err)
	}
	t.Cleanup(func() { unix.Unmount(disk, 0) })
	o, _, pids := fakeOptions(t, "")
	o.Dir = filepath.Join(disk, "run")
	text := "batch: [" + numbers(30) + "]\nclient_threads: 1\nget_ratios: 1\nduration: 10ms\nwarmup: 0s\nrepeats: 1\nkeys: 10\n"
	if err := os.WriteFile(o.SweepFile, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	sum, err := runFake(t, o)
	for _, want := range []string{"the sweep ends here", "no space left on device", o.Dir, "when there is room: dpukv sweep --out " + o.Dir} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to hold %q", err, want)
		}
	}
	if got := len(readPoints(t, o.Dir)); got != sum.Measured || got == 0 || got == 30 {
		t.Errorf("%d points are in the folder, %d were measured", got, sum.Measured)
	}
	leaveNone(t, pids, 2)
}

func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../examples/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no examples", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		if slices.Contains(testbedExamples, name) {
			continue
		}
		testbed := ""
		if strings.HasPrefix(name, "fig") || strings.HasPrefix(name, "placements") || name == "lynx-fig9" || name == "filters" {
			testbed = "../examples/netns.yaml"
		}
		plan, err := NewPlan(Options{SweepFile: file, TestbedFile: testbed, Dir: filepath.Join(t.TempDir(), "run")})
		if err != nil {
			t.Error(err)
			continue
		}
		var out strings.Builder
		if err := plan.DryRun(&out); err != nil {
			t.Error(err)
		}
		if name == "filters" {
			for _, want := range []string{"drop-client:192.0.2.1-192.0.2.200", "drop-key-hash:64-95", "count-opcode", "24 points"} {
				if !strings.Contains(out.String(), want) {
					t.Errorf("%s: found no %s:\n%s", file, want, out.String())
				}
			}
		}
		if file != "../examples/mica.yaml" {
			continue
		}
		if d := Default(); differences(&plan.sweep, &d) != nil {
			t.Errorf("%s says it has the defaults, but %v", file, differences(&plan.sweep, &d))
		}
		if !strings.Contains(out.String(), "36 points") {
			t.Errorf("%s says it has 36 points:\n%s", file, out.String())
		}
	}
}
