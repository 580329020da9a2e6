package results

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

	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

func drawn(t *testing.T, points []Point, latencies string, logY bool) (*Run, Drawing) {
	t.Helper()
	w := newRun(t)
	mustAppend(t, w, points...)
	chosen, err := ParseMeasures(latencies)
	if err != nil {
		t.Fatal(err)
	}
	d, err := w.DrawFigures(FigureOptions{Measures: chosen, LogY: logY})
	if err != nil {
		t.Fatal(err)
	}
	return w.Run, d
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestDrawFigures(t *testing.T) {
	for _, logY := range []bool{false, true} {
		r, d := drawn(t, localPoints(), "p99", logY)
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
		if entries, _ := os.ReadDir(r.FiguresDir()); len(entries) != len(want) {
			t.Errorf("%d files in %s, want %d", len(entries), r.FiguresDir(), len(want))
		}
		want = []string{"left out point mica-local-get50-st1-ct8-rate0-k8v8-r1, which failed: the server did not answer within 5s"}
		if !slices.Equal(d.Notes, want) {
			t.Errorf("notes %q, want %q", d.Notes, want)
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

// overview is the last figure of points, without the PNG, which takes long to draw.
func overview(t *testing.T, points []Point, latency string) (svg, csv []byte) {
	t.Helper()
	w := newRun(t)
	if err := w.AppendEnv(map[string]any{"node": "here", "cpus": 2, "cpu_model": "AMD EPYC"}); err != nil {
		t.Fatal(err)
	}
	measure, err := parseMeasure(latency)
	if err != nil {
		t.Fatal(err)
	}
	charts := Charts(points)
	f := figure{chart: &charts[len(charts)-1], measure: measure, machines: w.Machines()}
	svg, err1 := f.svg()
	csv, err2 := f.csv()
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	return svg, csv
}

func TestFigureSaysItsConditions(t *testing.T) {
	svg, _ := overview(t, localPoints(), "p99")
	for _, want := range []string{
		"MICA, 8 B keys, 8 B values, batch 64", "95 % GET", "throughput (Mops)", "p99 latency (µs)",
		"server CPU 0", "client CPU 1", "2 CPUs (AMD EPYC)", "3 repeats for 5 s: medians, bars show the range",
		"numbers at marks: client threads", "9 of 36 points with warnings", "1 point failed and not drawn",
		"Arial",
	} {
		if !bytes.Contains(svg, []byte(want)) {
			t.Errorf("the figure does not say %q", want)
		}
	}
}

func TestActualLatencyHasFiguresOfItsOwn(t *testing.T) {
	w := newRun(t)
	mustAppend(t, w, openLoopPoints()...)
	p99, _ := ParseMeasures("p99")
	for _, actual := range []bool{false, true} {
		if _, err := w.DrawFigures(FigureOptions{Measures: p99, Actual: actual}); err != nil {
			t.Fatal(err)
		}
	}
	intended := string(read(t, filepath.Join(w.FiguresDir(), "mica-get95-p99.csv")))
	actual := string(read(t, filepath.Join(w.FiguresDir(), "mica-get95-p99-actual.csv")))
	if !strings.Contains(intended, "local,rate_ops,1000000,1,910000,910000,910000,140000,") || !strings.Contains(actual, ",910000,120000,") {
		t.Errorf("intended\n%s\nactual\n%s", intended, actual)
	}
}

func TestFigureCSVGolden(t *testing.T) {
	_, csv := overview(t, localPoints(), "p99.9")
	golden(t, "figure-overview.csv.golden", csv)
}

func TestNothingToDraw(t *testing.T) {
	w := newRun(t)
	mustAppend(t, w, testPoint(failed("?")))
	_, err := w.DrawFigures(FigureOptions{})
	if err == nil || !strings.Contains(err.Error(), w.Dir()) || !strings.Contains(err.Error(), "none is ok") {
		t.Fatalf("got %v", err)
	}
}

func TestParseMeasures(t *testing.T) {
	got, err := ParseMeasures("p50, p99.9,mean")
	if err != nil || len(got) != 3 || got[1].Name != "p999" || got[1].Title != "p99.9 latency" {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{"", "p98", "p50,,p99", "P50"} {
		if _, err := ParseMeasures(bad); err == nil || !strings.Contains(err.Error(), "p50") {
			t.Errorf("%q: %v, want an error that lists what there is", bad, err)
		}
	}
}

func TestDrawFiguresTellsOfLinesThatCanNotBeRead(t *testing.T) {
	w := newRun(t)
	mustAppend(t, w, testPoint())
	edit(t, w.Run, pointsFile, func(b []byte) []byte { return append([]byte("{\n"), b...) })
	d, err := w.DrawFigures(FigureOptions{})
	if err != nil || len(d.Notes) != 1 || !strings.Contains(d.Notes[0], "points.jsonl, line 1") {
		t.Fatalf("notes %q, %v", d.Notes, err)
	}
	if want := filepath.Join(w.FiguresDir(), "mica-get95-p50.svg"); len(d.Paths) != 6 || d.Paths[0] != want {
		t.Errorf("wrote %q, want the figures of %s, the first %s", d.Paths, DefaultMeasures, want)
	}
}

// There are neither too few nor too many labels to read an axis by.
func TestTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := rapid.Float64Range(0.001, 1e6).Draw(t, "top")
		ticks := linearTicks{most: 8}.Ticks(0, top)
		if n := len(ticks); n < 4 || n > 9 {
			t.Fatalf("%d ticks on 0 to %v", n, top)
		}
		if ticks[0].Label != "0" && strings.Trim(ticks[0].Label, "0.") != "" {
			t.Fatalf("first tick is %q", ticks[0].Label)
		}
		bottom := rapid.Float64Range(0.01, 1e4).Draw(t, "bottom")
		labelled := 0
		for _, tick := range (logTicks{}).Ticks(bottom*0.7, bottom*rapid.Float64Range(1, 1e5).Draw(t, "range")*1.4) {
			if tick.Label != "" {
				labelled++
			}
		}
		if labelled < 1 || labelled > 12 {
			t.Fatalf("%d labels on a logarithmic axis from %v", labelled, bottom)
		}
	})
}

func TestPlacedNumbersCoverNothing(t *testing.T) {
	coordinate := func(t *rapid.T, name string) vg.Length { return vg.Length(rapid.Float64Range(0, 300).Draw(t, name)) }
	rapid.Check(t, func(t *rapid.T) {
		var taken []vg.Rectangle
		for range rapid.IntRange(0, 20).Draw(t, "obstacles") {
			taken = append(taken, around(vg.Point{X: coordinate(t, "x"), Y: coordinate(t, "y")}, 8))
		}
		page := vg.Rectangle{Max: vg.Point{X: 300, Y: 300}}
		box, free := place(vg.Point{X: coordinate(t, "x"), Y: coordinate(t, "y")}, vg.Point{X: 12, Y: 8}, page, taken)
		if free && (hits(box, taken) || !inside(box, page)) {
			t.Fatalf("placed at %v", box)
		}
	})
}

func TestNoTwoOfTwelveLinesHaveTheSameGlyph(t *testing.T) {
	seen := map[any]bool{}
	for style := range maxOverviewLines {
		shape := glyphStyle(style).Shape
		if seen[shape] {
			t.Errorf("style %d has the glyph of another", style)
		}
		seen[shape] = true
	}
}
