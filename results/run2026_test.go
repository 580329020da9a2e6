package results_test

import (
	"bytes"
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/claims"
	"dpukv/results/compare"
	"dpukv/results/export"
	"dpukv/results/figure"
	"dpukv/results/report"
	"dpukv/results/resultstest"
	"dpukv/results/runfolder"
	"dpukv/results/table"
)

// run2026 is a copy of a run folder that "dpukv sweep" wrote in 2026: three points that are ok, and
// one whose server was killed. Run folders of that time must stay readable.
func run2026(t *testing.T) *runfolder.Run {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run-2026")
	must.Do(t, os.CopyFS(dir, os.DirFS("testdata/run-2026")))
	return must.Get(runfolder.Open(dir))(t)
}

// pointsOf returns the points of a run folder without unreadable lines.
func pointsOf(t *testing.T, run *runfolder.Run) []results.Point {
	t.Helper()
	points, bad, err := run.Points()
	if err != nil || len(bad) > 0 {
		t.Fatalf("%v, %v", bad, err)
	}
	return points
}

// The IDs of the run's points.
const (
	killed2026 = "mica-CH-SH-off-path-get0.95-s1-c1-d25ce207-r1"
	closed2026 = "mica-CH-SH-off-path-get0.95-s1-c2-e69b094d-r1"
)

func TestRun2026Points(t *testing.T) {
	run := run2026(t)
	points := pointsOf(t, run)
	if len(points) != 4 {
		t.Fatalf("found %d points, want 4", len(points))
	}
	for i := range points {
		if err := results.Validate(&points[i]); err != nil {
			t.Error(err)
		}
	}
	closed, killed := &points[1], &points[3]
	if closed.ID != closed2026 || closed.Ops != 1600320 || closed.P99Ns != 387327 ||
		closed.Bottleneck().Side == "" || len(closed.ServerWorkers) != 1 || len(closed.Warnings) != 2 {
		t.Errorf("found %+v", closed)
	}
	if killed.ID != killed2026 || killed.Status != results.StatusFailed ||
		!strings.Contains(killed.Error, "killed by signal 9") {
		t.Errorf("found %+v", killed)
	}
}

func TestRun2026Folder(t *testing.T) {
	run := run2026(t)
	sweep, err1 := run.Sweep()
	testbed, err2 := run.Testbed()
	if err1 != nil || err2 != nil || !bytes.Contains(sweep, []byte("stores: mica")) ||
		!bytes.Contains(testbed, []byte("client_side: client")) {
		t.Errorf("sweep %q, %v; testbed %q, %v", sweep, err1, testbed, err2)
	}
	if got := run.Machines(); !slices.Equal(got, []string{"2 CPUs (Intel(R) Xeon(R) Processor)"}) {
		t.Errorf("found the machines %q", got)
	}
	w := must.Get(runfolder.Resume(run.Dir()))(t)
	defer w.Close()
	if len(w.Repairs()) > 0 || !w.Done(closed2026) || w.Done(killed2026) {
		t.Errorf("repairs %q, done %v and %v", w.Repairs(), w.Done(closed2026), w.Done(killed2026))
	}
}

// TestRun2026Histograms: the intervals of a point add up to the figures in its line.
func TestRun2026Histograms(t *testing.T) {
	run := run2026(t)
	points := pointsOf(t, run)
	for i := range points[:3] {
		p := &points[i]
		intervals := must.Get(run.Histograms(p.ID))(t)
		for tag, want := range map[string]results.Latency{
			results.TagIntended: p.Latency, results.TagActual: p.Actual,
		} {
			all := must.Get(results.MergeTag(intervals, tag))(t)
			got := results.LatencyOf(all)
			got.MeanNs = want.MeanNs // of a histogram it is rounded
			if len(intervals) != 10 || got != want {
				t.Errorf("%s, %s of %d intervals: got %+v, want %+v", p.ID, tag, len(intervals), got, want)
			}
		}
	}
}

func TestRun2026Curves(t *testing.T) {
	charts := results.Charts(pointsOf(t, run2026(t)))
	want := []string{
		"mica-get95 | MICA, 95 % GET, 8 B keys, 8 B values, batch 64",
		"  closed loop | client threads: 2",
		"  open loop, 0.02 Mops offered | client threads: 1 2",
		"  failed: " + killed2026,
	}
	if got := outline(charts); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestRun2026Figures: redrawn figures equal the sweep's figures byte by byte.
func TestRun2026Figures(t *testing.T) {
	run := run2026(t)
	drawing, err := figure.Draw(run, figure.Options{})
	if err != nil || len(drawing.Paths) != 6 || len(drawing.Warnings) != 1 {
		t.Fatalf("%+v, %v", drawing, err)
	}
	for _, path := range drawing.Paths {
		if filepath.Ext(path) == ".png" {
			continue // too large to keep
		}
		got, err1 := os.ReadFile(path)
		want, err2 := os.ReadFile(filepath.Join("testdata/run-2026/figures", filepath.Base(path)))
		if err1 != nil || err2 != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the sweep drew (%v, %v)", path, err1, err2)
		}
	}
}

func TestRun2026Tables(t *testing.T) {
	points := pointsOf(t, run2026(t))
	var b bytes.Buffer
	must.Do(t, table.Write(&b, points))
	resultstest.Golden(t, "run-2026.table.golden", b.Bytes())
	b.Reset()
	must.Do(t, table.WritePoint(&b, &points[1]))
	resultstest.Golden(t, "run-2026.point.golden", b.Bytes())
}

func TestRun2026Report(t *testing.T) {
	model := must.Get(report.Read(run2026(t), report.Options{}))(t)
	if model.Count != 4 || len(model.Lines) != 2 || len(model.Nodes) != 2 || len(model.BadLines) != 0 {
		t.Errorf("%d points, %d lines, %d nodes, bad lines %q", model.Count, len(model.Lines),
			len(model.Nodes), model.BadLines)
	}
	var page bytes.Buffer
	if err := model.Write(&page, false); err != nil || !strings.Contains(page.String(), killed2026) {
		t.Errorf("the page lacks the point that failed (%v)", err)
	}
}

// TestRun2026CompareWithItself: one repeat a side proves no difference in any figure.
func TestRun2026CompareWithItself(t *testing.T) {
	points := pointsOf(t, run2026(t))
	side := compare.Side{Name: "run-2026", Points: points}
	c := must.Get(compare.Compare(side, side, compare.Options{}))(t)
	if c.A.Points != 3 || c.A.Failed != 1 || len(c.Rows) != 12 || c.Count(compare.TooFew) != 12 {
		t.Errorf("%+v with %d rows, %d of too few repeats", c.A, len(c.Rows), c.Count(compare.TooFew))
	}
	if got := c.Rows[1]; got.A.Median != 1333600 || got.Change != 0 {
		t.Errorf("found %+v", got)
	}
	if err := c.Write(io.Discard); err != nil {
		t.Error(err)
	}
}

func TestRun2026Export(t *testing.T) {
	points := pointsOf(t, run2026(t))
	for _, name := range []string{"csv", "benchfmt", "parquet"} {
		write := must.Get(export.Format(name))(t)
		var b bytes.Buffer
		must.Do(t, write(&b, points))
		switch name {
		case "benchfmt":
			resultstest.Golden(t, "run-2026.benchfmt.golden", b.Bytes())
		case "csv":
			rows, err := csv.NewReader(&b).ReadAll()
			if err != nil || len(rows) != 5 {
				t.Fatalf("%d rows, %v", len(rows), err)
			}
			for name, want := range map[string]string{
				"id": closed2026, "status": "ok", "measure": "", "settings": "", "figures": "",
				"store": "mica", "placement": "CH-SH", "submode": "off-path",
				"throughput_ops": "1.3336e+06", "latency_mean_ns": "91286.12837432514",
				"latency_p50_ns": "69247",
			} {
				if i := slices.Index(rows[0], name); i < 0 || rows[2][i] != want {
					t.Errorf("column %s is number %d: got %q, want %q", name, i, rows[2], want)
				}
			}
		case "parquet":
			if !bytes.HasPrefix(b.Bytes(), []byte("PAR1")) {
				t.Errorf("begins with %q", b.Bytes()[:4])
			}
		}
	}
}

// TestRun2026Claims: a run of one placement on one machine can answer one claim of the study.
func TestRun2026Claims(t *testing.T) {
	books := must.Get(claims.Load())(t)
	runs, bad, err := claims.OpenRun(run2026(t))
	if err != nil || len(bad) > 0 || len(runs) != 1 || len(runs[0].Generations) != 0 {
		t.Fatalf("%v, %v, %+v", err, bad, runs)
	}
	measured := 0
	for _, o := range books.Evaluate(claims.Evidence{Runs: runs}) {
		if o.Measured != nil {
			measured++
		}
	}
	if measured != 1 {
		t.Errorf("%d claims are measured, want 1", measured)
	}
}
