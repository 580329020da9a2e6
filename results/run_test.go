package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func newRun(t *testing.T) *Writer {
	t.Helper()
	w, err := Create(filepath.Join(t.TempDir(), "run"), []byte("stores: mica\n"), []byte("nodes: []\n"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

func mustAppend(t *testing.T, w *Writer, points ...Point) {
	t.Helper()
	for i := range points {
		if err := w.Append(&points[i], nil); err != nil {
			t.Fatal(err)
		}
	}
}

func pointIDs(t *testing.T, r *Run) (ids []string, bad []BadLine) {
	t.Helper()
	points, bad, err := r.Points()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range points {
		ids = append(ids, p.ID)
	}
	return ids, bad
}

// edit changes a file of a run folder behind its writer's back.
func edit(t *testing.T, r *Run, name string, change func([]byte) []byte) {
	t.Helper()
	path := filepath.Join(r.Dir(), name)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, change(data), 0o666); err != nil {
		t.Fatal(err)
	}
}

func withID(id string) func(*Point) { return func(p *Point) { p.ID = id } }

func TestRunFolderHoldsWhatWasWritten(t *testing.T) {
	w := newRun(t)
	want := testPoint(withID("a"))
	want.Warnings = []string{"client CPU is saturated"}
	log, err := EncodeHlog([]Interval{{TagActual, time.UnixMilli(5), time.UnixMilli(6), histogramOf([]int64{42})}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.AppendEnv(map[string]any{"node": "here", "cpus": 2}), w.Append(&want, log)); err != nil {
		t.Fatal(err)
	}

	r, err := Open(w.Dir())
	if err != nil {
		t.Fatal(err)
	}
	sweep, err1 := r.Sweep()
	testbed, err2 := r.Testbed()
	env, _, err3 := r.Env()
	points, bad, err4 := r.Points()
	hists, err5 := r.Histograms("a")
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil || len(bad) > 0 {
		t.Fatal(err, bad)
	}
	if string(sweep) != "stores: mica\n" || string(testbed) != "nodes: []\n" {
		t.Errorf("sweep %q, testbed %q", sweep, testbed)
	}
	if len(env) != 1 || string(env[0]) != `{"cpus":2,"node":"here"}` {
		t.Errorf("env %s", env)
	}
	want.noteHlog(log)
	got, _ := json.Marshal(points)
	wanted, _ := json.Marshal([]Point{want})
	if !bytes.Equal(got, wanted) {
		t.Errorf("points\n%s\nwant\n%s", got, wanted)
	}
	if len(hists) != 1 || hists[0].Histogram.TotalCount() != 1 {
		t.Errorf("histograms %v", hists)
	}
}

func TestNoTestbedFile(t *testing.T) {
	w, err := Create(t.TempDir(), []byte("x"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if got, err := w.Testbed(); got != nil || err != nil {
		t.Fatalf("got %q, %v", got, err)
	}
}

func TestResumeMeasuresWhatIsMissing(t *testing.T) {
	w := newRun(t)
	mustAppend(t, w, testPoint(withID("ok")), testPoint(withID("bad"), failed("server died")))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w, err := Resume(w.Dir())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if !w.Done("ok") || w.Done("bad") || w.Done("never") || len(w.Repairs()) != 0 {
		t.Fatalf("done: ok %v, bad %v, never %v; repairs %q", w.Done("ok"), w.Done("bad"), w.Done("never"), w.Repairs())
	}
	p := testPoint(withID("ok"))
	if err := w.Append(&p, nil); err == nil {
		t.Error("a point that is done was written again")
	}
	mustAppend(t, w, testPoint(withID("bad")))
	if ids, _ := pointIDs(t, w.Run); !w.Done("bad") || !slices.Equal(ids, []string{"ok", "bad"}) {
		t.Errorf("after measuring it again: done %v, points %q", w.Done("bad"), ids)
	}
}

func TestLastOkLineOfAnIDWins(t *testing.T) {
	type line struct {
		id, status string
		ops        uint64
	}
	for name, c := range map[string]struct{ lines, want []line }{
		"last ok":             {[]line{{"a", "ok", 1}, {"a", "ok", 2}}, []line{{"a", "ok", 2}}},
		"ok before failed":    {[]line{{"a", "ok", 1}, {"b", "ok", 3}, {"a", "failed", 2}}, []line{{"a", "ok", 1}, {"b", "ok", 3}}},
		"ok after failed":     {[]line{{"a", "failed", 1}, {"b", "ok", 3}, {"a", "ok", 2}}, []line{{"b", "ok", 3}, {"a", "ok", 2}}},
		"last of the failed":  {[]line{{"a", "failed", 1}, {"a", "failed", 2}}, []line{{"a", "failed", 2}}},
		"nothing, no problem": {nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var points []Point
			for _, l := range c.lines {
				points = append(points, Point{ID: l.id, Status: l.status, Ops: l.ops})
			}
			var got []line
			for _, p := range lastOfEachID(points) {
				got = append(got, line{p.ID, p.Status, p.Ops})
			}
			if !slices.Equal(got, c.want) {
				t.Fatalf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestHalfWrittenLastLine(t *testing.T) {
	whole, _ := json.Marshal(testPoint(withID("c")))
	for name, c := range map[string]struct {
		tail   string
		want   []string
		repair string
		bad    int // lines a reader names before the repair
	}{
		"cut in the middle":       {string(whole[:len(whole)/2]), []string{"a", "b"}, "cut off", 1},
		"one byte":                {"{", []string{"a", "b"}, "cut off", 1},
		"zeros, as after a crash": {"\x00\x00\x00", []string{"a", "b"}, "cut off", 1},
		"only the newline lost":   {string(whole), []string{"a", "b", "c"}, "newline", 0},
		"a number is not whole":   {"12", []string{"a", "b"}, "cut off", 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newRun(t)
			mustAppend(t, w, testPoint(withID("a")), testPoint(withID("b")))
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			edit(t, w.Run, pointsFile, func(b []byte) []byte { return append(b, c.tail...) })
			if ids, bad := pointIDs(t, w.Run); len(bad) != c.bad || !slices.Equal(ids, c.want) {
				t.Errorf("reader: points %q, bad lines %v", ids, bad)
			}

			w, err := Resume(w.Dir())
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			if r := w.Repairs(); len(r) != 1 || !strings.Contains(r[0], c.repair) || !strings.Contains(r[0], "points.jsonl, line 3") {
				t.Errorf("repairs %q, want one with %q", r, c.repair)
			}
			mustAppend(t, w, testPoint(withID("d")))
			if ids, bad := pointIDs(t, w.Run); len(bad) != 0 || !slices.Equal(ids, append(c.want, "d")) {
				t.Errorf("after resume and append: points %q, bad lines %v", ids, bad)
			}
		})
	}
}

func TestHalfWrittenEnvLineIsCutToo(t *testing.T) {
	w := newRun(t)
	if err := errors.Join(w.AppendEnv(map[string]int{"cpus": 1}), w.Close()); err != nil {
		t.Fatal(err)
	}
	edit(t, w.Run, envFile, func(b []byte) []byte { return append(b, `{"cpus":`...) })
	w, err := Resume(w.Dir())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.AppendEnv(map[string]int{"cpus": 2}); err != nil {
		t.Fatal(err)
	}
	if env, bad, err := w.Env(); len(env) != 2 || len(bad) != 0 || err != nil {
		t.Fatalf("env %s, bad %v, %v", env, bad, err)
	}
}

func TestCorruptMiddleLinesAreNamedAndTheRestUsed(t *testing.T) {
	w := newRun(t)
	mustAppend(t, w, testPoint(withID("a")))
	edit(t, w.Run, pointsFile, func(b []byte) []byte {
		return append(b, "{\"id\":\n\n[]\n{\"schema\":1}\n{\"schema\":99,\"id\":\"z\"}\n{\"schema\":1,\"id\":\"z\",\"status\":\"so-so\"}\n"...)
	})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w, err := Resume(w.Dir())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	mustAppend(t, w, testPoint(withID("b")))

	ids, bad := pointIDs(t, w.Run)
	if !slices.Equal(ids, []string{"a", "b"}) {
		t.Errorf("points %q", ids)
	}
	want := []string{
		"points.jsonl, line 2: unexpected end",
		"points.jsonl, line 4: json: cannot unmarshal array",
		"points.jsonl, line 5: no id",
		"points.jsonl, line 6: schema 99, written by a newer dpukv",
		`points.jsonl, line 7: status "so-so"`,
	}
	for i, b := range bad {
		if i >= len(want) || !strings.HasPrefix(b.String(), want[i]) {
			t.Errorf("bad line %d: %s", i, b)
		}
	}
	if len(bad) != len(want) {
		t.Errorf("%d bad lines, want %d", len(bad), len(want))
	}
}

func TestOneWriterAFolder(t *testing.T) {
	w := newRun(t)
	_, err := Resume(w.Dir())
	if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), w.Dir()) {
		t.Fatalf("second writer: %v, want ErrLocked that names the folder", err)
	}
	if _, err := Open(w.Dir()); err != nil {
		t.Errorf("reading while it is written: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Resume(w.Dir())
	if err != nil {
		t.Fatalf("after the first has closed: %v", err)
	}
	_ = again.Close()
}

func TestCreateRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"a run":                    {map[string]string{sweepFile: "x"}, "run folder already"},
		"someone's files":          {map[string]string{"thesis.tex": "x"}, "thesis.tex"},
		"points without a sweep":   {map[string]string{pointsFile: "{}\n"}, "no sweep.yaml"},
		"an unfinished Create: ok": {map[string]string{testbedFile: "x", pointsFile: "", sweepFile + ".tmp": "x"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, content := range c.files {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			w, err := Create(dir, []byte("new"), nil)
			if c.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				_ = w.Close()
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), dir) {
				t.Fatalf("got %v, want an error with %q and the folder", err, c.want)
			}
		})
	}
}

func TestOpenOfSomethingElse(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{dir, filepath.Join(dir, "none")} {
		if _, err := Open(d); !errors.Is(err, ErrNotRun) {
			t.Errorf("Open: %v, want ErrNotRun", err)
		}
		if _, err := Resume(d); !errors.Is(err, ErrNotRun) {
			t.Errorf("Resume: %v, want ErrNotRun", err)
		}
	}
}

func TestAppendRefusesWhatCanNotBeWritten(t *testing.T) {
	w := newRun(t)
	for _, id := range []string{"", "../up", "a b", ".hidden", "a\nb", "é", strings.Repeat("x", 201)} {
		if err := w.Append(&Point{ID: id}, nil); err == nil {
			t.Errorf("id %q was accepted", id)
		}
	}
	p := testPoint()
	p.ClientCPUShare = math.NaN()
	if err := w.Append(&p, nil); err == nil || !strings.Contains(err.Error(), p.ID) {
		t.Errorf("NaN: %v, want an error that names the point", err)
	}
	if ids, bad := pointIDs(t, w.Run); len(ids)+len(bad) != 0 {
		t.Errorf("points %q, bad lines %v", ids, bad)
	}
	if _, err := w.Histograms("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("histograms of no point: %v", err)
	}
}

func TestNoListIsNull(t *testing.T) {
	w := newRun(t)
	p := testPoint()
	mustAppend(t, w, *failedOnly(&p))
	edit(t, w.Run, pointsFile, func(b []byte) []byte {
		if bytes.Contains(b, []byte("null")) {
			t.Errorf("null in %s", b)
		}
		return b
	})
}
