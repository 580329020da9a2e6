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

// TestFigure draws the figure of README.md.
func TestFigure(t *testing.T) {
	dir := copyRun(t, "one-machine")
	metrics, err := results.ParseLatencyMetrics("p99")
	if err != nil {
		t.Fatal(err)
	}
	drawing, err := figure.Draw(open(t, dir), figure.Options{Metrics: metrics})
	if err != nil || len(drawing.Warnings) > 0 {
		t.Fatal(drawing.Warnings, err)
	}
	for _, ext := range []string{".svg", ".png"} {
		compare(t, filepath.Join(dir, "figures", "mica-p99"+ext), "mica-p99"+ext)
	}
}

// TestHashFigure draws the figure of the hash functions.
func TestHashFigure(t *testing.T) {
	r, err := result.Read(t.Context(), filepath.Join(runs, "one-machine", "hash.json"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := report.DrawFigures(dir, []report.Machine{{Report: r}}); err != nil {
		t.Fatal(err)
	}
	compare(t, filepath.Join(dir, "hash-16B-latency.png"), "hash-16B-latency.png")
}

// TestReport makes the report. With -update, it takes its picture.
func TestReport(t *testing.T) {
	dir := copyRun(t, "three-stores")
	model, err := page.Read(open(t, dir), page.Options{})
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(filepath.Join(dir, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	if err := model.Write(file, false); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if !resultstest.Updating() {
		return
	}
	b := resultstest.NewBrowser(t)
	var png []byte
	b.Run(t, chromedp.EmulateViewport(1280, 900))
	b.Open(t, "file://"+file.Name())
	b.Run(t, chromedp.CaptureScreenshot(&png))
	if err := os.WriteFile(filepath.Join(pictures, "report.png"), png, 0o644); err != nil {
		t.Fatal(err)
	}
}

// copyRun copies a committed run, because drawing writes into its folder.
func copyRun(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(runs, name))); err != nil {
		t.Fatal(err)
	}
	return dir
}

func open(t *testing.T, dir string) *runfolder.Run {
	t.Helper()
	run, err := runfolder.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// compare holds a picture of docs/img against the one that the code draws.
func compare(t *testing.T, drawn, name string) {
	t.Helper()
	want, err := os.ReadFile(drawn)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOARCH != "amd64" && filepath.Ext(name) == ".png" {
		t.Skip("amd64 drew the picture, whose last bits of a pixel differ elsewhere")
	}
	path := filepath.Join(pictures, name)
	if resultstest.Updating() {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if found, err := os.ReadFile(path); err != nil || !bytes.Equal(found, want) {
		t.Errorf("docs/img/%s is not what the code draws (%v): make figures draws it anew", name, err)
	}
}
