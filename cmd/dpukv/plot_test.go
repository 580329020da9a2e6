package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dpukv/load"
	"dpukv/results"
	"dpukv/results/runfolder"
)

// runFolder makes a run folder that holds one point, and returns its path.
func runFolder(t *testing.T, status string) string {
	t.Helper()
	w, err := runfolder.Create(filepath.Join(t.TempDir(), "run"), []byte("store: mica\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	latency := results.Latency{MeanNs: 2e4, P50Ns: 2e4, P95Ns: 3e4, P99Ns: 4e4, P999Ns: 5e4, MaxNs: 6e4}
	p := results.Point{
		Schema: results.SchemaVersion, ID: "only", Status: status, Store: "mica", Placement: "local",
		Load: load.Load{
			Workload: load.Workload{GetRatio: 0.95, KeyBytes: 8, ValueBytes: 8},
			Batch:    64,
		},
		ServerThreads: 1, ClientThreads: 1, Repeat: 1,
		StartedAt: time.Now(), DurationNs: 1e9, Ops: 1000, ThroughputOps: 1000, Latency: latency, Actual: latency,
	}
	if err := w.Append(&p, nil); err != nil {
		t.Fatal(err)
	}
	return w.Dir()
}

func runPlot(args ...string) (stdout, stderr string, err error) {
	var out, errs bytes.Buffer
	cmd := newPlotCommand()
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	err = cmd.Execute()
	return out.String(), errs.String(), err
}

func TestPlotPrintsThePathsItWrote(t *testing.T) {
	dir := runFolder(t, results.StatusOK)
	stdout, stderr, err := runPlot(dir, "--latency", "p95", "--log-y", "--actual")
	if err != nil || stderr != "" {
		t.Fatalf("%v, stderr %q", err, stderr)
	}
	stem := filepath.Join(dir, "figures", "mica-get95-p95-actual")
	if want := stem + ".svg\n" + stem + ".png\n" + stem + ".csv\n"; stdout != want {
		t.Errorf("stdout\n%swant\n%s", stdout, want)
	}
	for path := range strings.Lines(stdout) {
		if _, err := os.Stat(strings.TrimSpace(path)); err != nil {
			t.Error(err)
		}
	}
}

func TestPlotRefuses(t *testing.T) {
	good := runFolder(t, results.StatusOK)
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no folder":      {nil, "allowed: one, the run folder"},
		"two folders":    {[]string{good, good}, "allowed: one, the run folder"},
		"not a run":      {[]string{t.TempDir()}, "not a run folder"},
		"no such figure": {[]string{good, "--latency", "p42"}, `--latency: latency: found "p42", allowed`},
		"nothing ok":     {[]string{runFolder(t, results.StatusFailed)}, "none of its 1 points is ok"},
	} {
		t.Run(name, func(t *testing.T) {
			stdout, _, err := runPlot(c.args...)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
			if stdout != "" {
				t.Errorf("stdout %q", stdout)
			}
		})
	}
}
