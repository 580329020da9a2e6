package runfolder

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results/resultstest"
)

func TestHalfWrittenLastLine(t *testing.T) {
	whole, _ := json.Marshal(resultstest.LocalPoint(resultstest.WithID("c")))
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
			mustAppend(t, w, resultstest.LocalPoint(resultstest.WithID("a")),
				resultstest.LocalPoint(resultstest.WithID("b")))
			must.Do(t, w.Close())
			edit(t, w.Run, pointsFile, func(b []byte) []byte { return append(b, c.tail...) })
			if ids, bad := pointIDs(t, w.Run); len(bad) != c.bad || !slices.Equal(ids, c.want) {
				t.Errorf("reader: points %q, bad lines %v", ids, bad)
			}

			w = must.Get(Resume(w.Dir()))(t)
			defer w.Close()
			if r := w.Repairs(); len(r) != 1 || !strings.Contains(r[0], c.repair) ||
				!strings.Contains(r[0], "points.jsonl, line 3") {
				t.Errorf("repairs %q, want one with %q", r, c.repair)
			}
			mustAppend(t, w, resultstest.LocalPoint(resultstest.WithID("d")))
			if ids, bad := pointIDs(t, w.Run); len(bad) != 0 || !slices.Equal(ids, append(c.want, "d")) {
				t.Errorf("after resume and append: points %q, bad lines %v", ids, bad)
			}
		})
	}
}

func TestHalfWrittenEnvLineIsCutToo(t *testing.T) {
	w := newRun(t)
	must.Do(t, errors.Join(w.AppendEnv(map[string]int{"cpus": 1}), w.Close()))
	edit(t, w.Run, envFile, func(b []byte) []byte { return append(b, `{"cpus":`...) })
	w = must.Get(Resume(w.Dir()))(t)
	defer w.Close()
	must.Do(t, w.AppendEnv(map[string]int{"cpus": 2}))
	if env, bad, err := w.Env(); len(env) != 2 || len(bad) != 0 || err != nil {
		t.Fatalf("env %s, bad %v, %v", env, bad, err)
	}
}

// TestFolderChangedWhileWritten: no point leaves a hole, or goes into a file that nobody reads.
func TestFolderChangedWhileWritten(t *testing.T) {
	for name, c := range map[string]struct {
		change func(path string) error
		want   string
	}{
		"cut":     {func(path string) error { return os.Truncate(path, 0) }, "found 0 bytes, wrote"},
		"grown":   {func(path string) error { return os.Truncate(path, 1<<20) }, "found 1048576 bytes, wrote"},
		"removed": {os.Remove, "found no file"},
		"replaced": {func(path string) error {
			return errors.Join(os.Remove(path), os.WriteFile(path, nil, 0o600))
		}, "found another file in its place"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newRun(t)
			mustAppend(t, w, resultstest.LocalPoint(resultstest.WithID("a")),
				resultstest.LocalPoint(resultstest.WithID("b")))
			must.Do(t, w.Check())
			path := filepath.Join(w.Dir(), pointsFile)
			must.Do(t, c.change(path))
			p := resultstest.LocalPoint(resultstest.WithID("c"))
			if err := w.Append(&p, nil); !errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if w.Done("c") {
				t.Error("the point counts as measured")
			}
			if data, _ := os.ReadFile(path); bytes.Contains(data, []byte(`"id":"c"`)) {
				t.Errorf("the file has the point:\n%.200q", data)
			}
		})
	}
}

func TestCheckAfterTheLastPoint(t *testing.T) {
	w := newRun(t)
	mustAppend(t, w, resultstest.LocalPoint(resultstest.WithID("a")))
	must.Do(t, os.Truncate(filepath.Join(w.Dir(), pointsFile), 10))
	if err := w.Check(); !errors.Is(err, ErrChanged) {
		t.Errorf("got %v, want ErrChanged", err)
	}
}

// TestNoHole: no line follows zeros, even if a file is cut between the check and the write.
func TestNoHole(t *testing.T) {
	w := newRun(t)
	mustAppend(t, w, resultstest.LocalPoint(resultstest.WithID("a")))
	must.Do(t, w.points.f.Truncate(0))
	must.Get(w.points.f.WriteString("x\n"))(t)
	if data, err := os.ReadFile(filepath.Join(w.Dir(), pointsFile)); err != nil || string(data) != "x\n" {
		t.Errorf("got %.20q, %v", data, err)
	}
}
