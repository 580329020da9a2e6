package images

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/chromedp/chromedp"

	"dpukv/hashbench/report"
	"dpukv/hashbench/result"
	"dpukv/internal/test/chromium"
	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/figure"
	page "dpukv/results/report"
	"dpukv/results/resultstest"
	"dpukv/results/runfolder"
)

const (
	pictures = "../../../docs/img"
	runs     = "../../../examples/runs"
)

// TestFigures draws the figure of README.md, and that of a task page.
func TestFigures(t *testing.T) {
	for _, f := range []struct{ run, metric, drawn, name string }{
		{"placements", "p50", "mica-get95-p50.png", "placements.png"},
		{"one-machine", "p99", "mica-p99.png", "mica-p99.png"},
	} {
		t.Run(f.name, func(t *testing.T) {
			dir := copyRun(t, f.run)
			metrics := must.Get(results.ParseLatencyMetrics(f.metric))(t)
			drawing, err := figure.Draw(open(t, dir), figure.Options{Metrics: metrics})
			if err != nil || len(drawing.Warnings) > 0 {
				t.Fatal(drawing.Warnings, err)
			}
			compare(t, filepath.Join(dir, "figures", f.drawn), f.name)
		})
	}
}

// TestHashFigure draws the figure of the hash functions.
func TestHashFigure(t *testing.T) {
	r := must.Get(result.Read(t.Context(), filepath.Join(runs, "one-machine", "hash.json")))(t)
	dir := t.TempDir()
	must.Get(report.DrawFigures(dir, []report.Machine{{Report: r}}))(t)
	compare(t, filepath.Join(dir, "hash-16B-latency.png"), "hash-16B-latency.png")
}

// TestReport makes the report. With -update, it takes its picture.
func TestReport(t *testing.T) {
	dir := copyRun(t, "three-stores")
	model := must.Get(page.Read(open(t, dir), page.Options{}))(t)
	file := must.Get(os.Create(filepath.Join(dir, "report.html")))(t)
	must.Do(t, model.Write(file, false))
	must.Do(t, file.Close())
	if !resultstest.Updating() {
		return
	}
	b := chromium.NewBrowser(t)
	var png []byte
	b.Run(t, chromedp.EmulateViewport(1280, 900))
	b.Open(t, "file://"+file.Name())
	b.Run(t, chromedp.CaptureScreenshot(&png))
	must.Do(t, os.WriteFile(filepath.Join(pictures, "report.png"), png, 0o644))
}

// copyRun copies a committed run, because drawing writes into its folder.
func copyRun(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	must.Do(t, os.CopyFS(dir, os.DirFS(filepath.Join(runs, name))))
	return dir
}

func open(t *testing.T, dir string) *runfolder.Run {
	t.Helper()
	return must.Get(runfolder.Open(dir))(t)
}

// compare holds a picture of docs/img against the one that the code draws.
func compare(t *testing.T, drawn, name string) {
	t.Helper()
	want := must.Get(os.ReadFile(drawn))(t)
	if runtime.GOARCH != "amd64" && filepath.Ext(name) == ".png" {
		t.Skip("amd64 drew the picture, whose last bits of a pixel differ elsewhere")
	}
	path := filepath.Join(pictures, name)
	if resultstest.Updating() {
		must.Do(t, os.WriteFile(path, want, 0o644))
	}
	if found, err := os.ReadFile(path); err != nil || !bytes.Equal(found, want) {
		t.Errorf("docs/img/%s is not what the code draws (%v): make figures draws it anew", name, err)
	}
}
