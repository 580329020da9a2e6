package figure

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
	"dpukv/results/runfolder"
	"dpukv/results/runfolder/runfoldertest"
)

// metrics are the latency metrics of these names.
func metrics(t *testing.T, names string) []*results.Metric {
	t.Helper()
	return must.Get(results.ParseLatencyMetrics(names))(t)
}

// drawn draws the figures of a run and returns the outcome.
func drawn(t *testing.T, run *runfolder.Run, o Options) Drawing {
	t.Helper()
	return must.Get(Draw(run, o))(t)
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	return must.Get(os.ReadFile(path))(t)
}

func TestDraw(t *testing.T) {
	for _, logY := range []bool{false, true} {
		r := runfoldertest.Create(t, resultstest.LocalPoints())
		d := drawn(t, r, Options{Metrics: metrics(t, "p99"), LogY: logY})
		var names []string
		for _, path := range d.Paths {
			names = append(names, filepath.Base(path))
			switch data := read(t, path); filepath.Ext(path) {
			case ".png":
				if _, err := png.Decode(bytes.NewReader(data)); err != nil {
					t.Errorf("%s: %v", path, err)
				}
			case ".svg":
				if err := wellFormed(data); err != nil {
					t.Errorf("%s: %v", path, err)
				}
			}
		}
		slices.Sort(names)
		var want []string
		for _, stem := range []string{"mica-get50", "mica-get95", "mica-get100", "mica"} {
			want = append(want, stem+"-p99.svg", stem+"-p99.png", stem+"-p99.csv")
		}
		slices.Sort(want)
		if !slices.Equal(names, want) {
			t.Errorf("wrote %q, want %q", names, want)
		}
		if entries, _ := os.ReadDir(filepath.Join(r.Dir(), "figures")); len(entries) != len(want) {
			t.Errorf("%d files in %s, want %d", len(entries), filepath.Join(r.Dir(), "figures"), len(want))
		}
		want = []string{"left out point mica-local-get50-st1-ct8-rate0-k8v8-r1, which failed: " +
			"the server did not answer within 5s"}
		if !slices.Equal(d.Warnings, want) {
			t.Errorf("warnings %q, want %q", d.Warnings, want)
		}
	}
}

func wellFormed(data []byte) error {
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		if _, err := d.Token(); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// overview is the last figure of points, without the PNG, which is slow to draw.
func overview(t *testing.T, points []results.Point, latency string) (svg, csv []byte) {
	t.Helper()
	env := map[string]any{"node": "here", "cpus": 2, "cpu_model": "AMD EPYC"}
	run := runfoldertest.Create(t, nil, env)
	o := Options{Metrics: metrics(t, latency)}
	figures := must.Get(o.figures(points))(t)
	f := figures[len(figures)-1]
	f.machines = run.Machines()
	svg, err1 := encodeAs("svg")(f)
	csv, err2 := f.csv()
	must.Do(t, errors.Join(err1, err2))
	return svg, csv
}

func TestActualLatencyHasFiguresOfItsOwn(t *testing.T) {
	w := runfoldertest.Create(t, resultstest.OpenLoopPoints())
	for _, actual := range []bool{false, true} {
		drawn(t, w, Options{Metrics: metrics(t, "p99"), Actual: actual})
	}
	intended := string(read(t, filepath.Join(w.Dir(), "figures", "mica-get95-p99.csv")))
	actual := string(read(t, filepath.Join(w.Dir(), "figures", "mica-get95-p99-actual.csv")))
	if !strings.Contains(intended, "local,rate_ops,1000000,1,910000,910000,910000,140000,") ||
		!strings.Contains(actual, ",910000,120000,") {
		t.Errorf("intended\n%s\nactual\n%s", intended, actual)
	}
}

func TestNothingToDraw(t *testing.T) {
	w := runfoldertest.Create(t, []results.Point{resultstest.LocalPoint(resultstest.Failed("?"))})
	_, err := Draw(w, Options{})
	if err == nil || !strings.Contains(err.Error(), w.Dir()) || !strings.Contains(err.Error(), "none of its") {
		t.Fatalf("got %v", err)
	}
}

func TestDrawTellsOfLinesThatCanNotBeRead(t *testing.T) {
	w := runfoldertest.Create(t, []results.Point{resultstest.LocalPoint()})
	path := filepath.Join(w.Dir(), "points.jsonl")
	must.Do(t, os.WriteFile(path, append([]byte("{\n"), read(t, path)...), 0o666))
	d, err := Draw(w, Options{})
	if err != nil || len(d.Warnings) != 2 || !strings.Contains(d.Warnings[0], "points.jsonl, line 1") ||
		!strings.Contains(d.Warnings[1], "the folder was changed") {
		t.Fatalf("warnings %q, %v", d.Warnings, err)
	}
	if want := filepath.Join(w.Dir(), "figures", "mica-get95-p50.svg"); len(d.Paths) != 6 || d.Paths[0] != want {
		t.Errorf("wrote %q, want the figures of %s, the first %s", d.Paths, results.DefaultLatencyMetrics, want)
	}
}
