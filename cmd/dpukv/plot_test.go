package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/load"
	"dpukv/results"
	"dpukv/results/runfolder"
)

// runFolder makes a run folder that holds one point, and returns its path.
func runFolder(t *testing.T, status string) string {
	t.Helper()
	return runFolderOf(t, onePoint(status))
}

// runFolderOf makes a run folder that holds points, and returns its path.
func runFolderOf(t *testing.T, points ...results.Point) string {
	t.Helper()
	w := must.Get(runfolder.Create(filepath.Join(t.TempDir(), "run"), []byte("store: mica\n"), nil))(t)
	defer w.Close()
	for i := range points {
		must.Do(t, w.Append(&points[i], nil))
	}
	return w.Dir()
}

// onePoint is a point of one machine.
func onePoint(status string) results.Point {
	latency := results.Latency{MeanNs: 2e4, P50Ns: 2e4, P95Ns: 3e4, P99Ns: 4e4, P999Ns: 5e4, MaxNs: 6e4}
	return results.Point{
		Identity: results.Identity{
			Schema: results.SchemaVersion, ID: "only", Status: status,
		},
		Asked: results.Asked{
			Store: "mica", Placement: "local",
			Load: load.Load{
				Workload: load.Workload{GetRatio: 0.95, KeyBytes: 8, ValueBytes: 8},
				Batch:    64,
			},
			ServerThreads: 1, ClientThreads: 1, Repeat: 1,
		},
		Counted: results.Counted{
			StartedAt: time.Now(), DurationNs: 1e9, Ops: 1000, ThroughputOps: 1000,
		},
		LatencyDetail: results.LatencyDetail{Actual: latency},
		Latency:       latency,
	}
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

func TestPlotDrawsAFigureOfTheStudy(t *testing.T) {
	near, far := onePoint(results.StatusOK), onePoint(results.StatusOK)
	near.ID, near.Placement, near.Submode = "near", "CH-SH", "off-path"
	far.ID, far.Placement, far.Submode = "far", "CH-SD", "off-path"
	dir := runFolderOf(t, far, near)
	stdout, stderr, err := runPlot(dir, "--figure", "9", "--format", "csv,pdf", "--width", "178mm",
		"--font", "serif", "--font-size", "9pt", "--title", "none", "--shared-axes", "--no-clip")
	if err != nil || stderr != "" {
		t.Fatalf("%v, stderr %q", err, stderr)
	}
	stem := filepath.Join(dir, "figures", "fig9")
	if want := stem + ".pdf\n" + stem + ".csv\n"; stdout != want {
		t.Errorf("stdout\n%swant\n%s", stdout, want)
	}
	csv := must.Get(os.ReadFile(stem + ".csv"))(t)
	ch, cd := strings.Index(string(csv), "95 % GET,p50,CH-SH,"), strings.Index(string(csv), "95 % GET,p50,CH-SD,")
	if ch < 0 || cd < ch {
		t.Errorf("CH-SH and CH-SD are not there, in this order:\n%s", csv)
	}
}

// probePoint is a point without a store.
func probePoint(
	kind, placement, id string, settings map[string]string, figures map[string]float64,
) results.Point {
	return results.Point{
		Identity: results.Identity{
			Schema: results.SchemaVersion, Status: results.StatusOK,
			ID: strings.ReplaceAll(kind+"-"+id, " ", "-"),
		},
		Asked: results.Asked{
			Measure: kind, Settings: settings, Placement: placement, Repeat: 1,
		},
		Probed:  results.Probed{Figures: figures},
		Counted: results.Counted{StartedAt: time.Unix(1, 0).UTC(), DurationNs: 1e9},
	}
}

// TestPlotDrawsProbes draws the study's figures and table of probes.
func TestPlotDrawsProbes(t *testing.T) {
	dir := runFolderOf(t,
		probePoint("memory", "hostB", "64 MiB", map[string]string{
			"test": "latency", "block_bytes": "67108864", "pages": "4k", "chains": "1",
		}, map[string]float64{"latency_ns": 75, "beyond_l1_ns": 73}),
		probePoint("memory", "hostB", "one", map[string]string{
			"test": "copy", "threads": "1", "code": "study", "array_bytes": "268435456",
		}, map[string]float64{"bytes_per_s": 8.7e9}),
		probePoint("memory", "hostB", "all", map[string]string{
			"test": "copy", "threads": "12", "code": "study", "array_bytes": "268435456",
		}, map[string]float64{"bytes_per_s": 22.3e9}),
		probePoint("network", "CH-SH", "stream", map[string]string{
			"test": "stream", "cores": "1", "write_bytes": "131072", "direction": "up",
		}, map[string]float64{"bytes_per_s": 1e9}),
		probePoint("verbs", "CH-SH", "write", map[string]string{
			"test": "latency", "op": "write", "bytes": "64",
		}, map[string]float64{"p50_latency_ns": 2e3}),
	)
	for _, figure := range []string{"3", "4", "6"} {
		stdout, stderr, err := runPlot(dir, "--figure", figure, "--format", "csv")
		if want := filepath.Join(dir, "figures", "fig"+figure+".csv") + "\n"; err != nil || stdout != want {
			t.Errorf("%v, stderr %q, stdout\n%swant\n%s", err, stderr, stdout, want)
		}
	}
	stdout, _, err := runPlot(dir, "--table", "4")
	if want := "copy    study             8.70               22.3\n"; err != nil ||
		!strings.Contains(stdout, want) {
		t.Errorf("%v, want a line %q in\n%s", err, want, stdout)
	}
	stdout, _, err = runPlot(dir, "--table", "4", "--format", "csv")
	if want := "hostB,copy,study,12,"; err != nil || !strings.Contains(stdout, want) {
		t.Errorf("%v, want a line with %q in\n%s", err, want, stdout)
	}
}

func TestPlotRefuses(t *testing.T) {
	good := runFolder(t, results.StatusOK)
	offPath := onePoint(results.StatusOK)
	offPath.Submode = "off-path"
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no folder":      {nil, "allowed: one, the run folder"},
		"two folders":    {[]string{good, good}, "found 2 run folders without --out, allowed: one"},
		"not a run":      {[]string{t.TempDir()}, "not a run folder"},
		"no such figure": {[]string{good, "--latency", "p42"}, `--latency: found "p42", allowed`},
		"no such format": {[]string{good, "--format", "gif"}, `--format: found "gif", allowed: one or more of svg`},
		"no such width":  {[]string{good, "--width", "85"}, `--width: found "85", allowed: 60mm to 600mm`},
		"no such font":   {[]string{good, "--font", "x"}, `--font: found "x", allowed: sans, serif, mono`},
		"a small font":   {[]string{good, "--font-size", "5pt"}, `--font-size: found "5pt", allowed: 7pt to 24pt`},
		"Figure 10": {
			[]string{good, "--figure", "10"}, "found a folder, allowed: a regular file",
		},
		"not Figure 8": {
			[]string{good, "--figure", "8"},
			"figure 8: store: found mica, allowed: herd; to measure it: dpukv sweep -f examples/fig8.yaml",
		},
		"not Figure 9": {
			[]string{runFolderOf(t, offPath), "--figure", "9"},
			"placements: found local, allowed: 2 or more of CH-SH, CD-SH, CDH-SH, CH-SD, CD-SD, L-CD-SH",
		},
		"not Figure 11": {[]string{good, "--figure", "11"}, "allowed: 2 or more of sm1, sm2, sm3, sm4, sm5"},
		"not Figure 3": {
			[]string{good, "--figure", "3"},
			"figure 3: probes: found no TCP bandwidth of the placement CH-SH, from client to server, allowed",
		},
		"a bound of Figure 6":  {[]string{good, "--figure", "6", "--slo", "p99=1ms"}, "--slo: found it with"},
		"latency of Figure 3":  {[]string{good, "--figure", "3", "--latency", "p50"}, "--latency: found it with"},
		"two latencies":        {[]string{good, "--figure", "4", "--latency", "p50,p99"}, "--latency: found 2"},
		"no such table":        {[]string{good, "--table", "3"}, "--table: found 3, allowed: 4"},
		"a width of a table":   {[]string{good, "--table", "4", "--width", "85mm"}, "--width: found it with"},
		"a format of a table":  {[]string{good, "--table", "4", "--format", "svg"}, `--format: found "svg" with`},
		"a table of no probes": {[]string{good, "--table", "4"}, "found no memory bandwidth, allowed: points of"},
		"nothing ok":           {[]string{runFolder(t, results.StatusFailed)}, "none of its 1 points is ok"},
	} {
		t.Run(name, func(t *testing.T) {
			stdout, _, err := runPlot(c.args...)
			must.Fail(t, err, c.want)
			if stdout != "" {
				t.Errorf("stdout %q", stdout)
			}
		})
	}
}
