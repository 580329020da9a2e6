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
	"time"

	"golang.org/x/sys/unix"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
)

func newRun(t *testing.T) *Writer {
	t.Helper()
	w := must.Get(Create(filepath.Join(t.TempDir(), "run"), []byte("store: mica\n"), []byte("nodes: []\n")))(t)
	t.Cleanup(func() { _ = w.Close() })
	return w
}

func mustAppend(t *testing.T, w *Writer, points ...results.Point) {
	t.Helper()
	for i := range points {
		must.Do(t, w.Append(&points[i], nil))
	}
}

func pointIDs(t *testing.T, r *Run) (ids []string, bad []BadLine) {
	t.Helper()
	points, bad, err := r.Points()
	must.Do(t, err)
	for _, p := range points {
		ids = append(ids, p.ID)
	}
	return ids, bad
}

// edit changes a file of a run folder behind its writer's back.
func edit(t *testing.T, r *Run, name string, change func([]byte) []byte) {
	t.Helper()
	path := filepath.Join(r.Dir(), name)
	data := must.Get(os.ReadFile(path))(t)
	must.Do(t, os.WriteFile(path, change(data), 0o666))
}

// interval is one of a histogram log, from and to these milliseconds, with one latency.
func interval(fromMs, toMs, latencyNs int64) results.Interval {
	h := results.NewHistogram()
	results.Record(h, latencyNs)
	return results.Interval{
		Tag: results.TagActual, Start: time.UnixMilli(fromMs), End: time.UnixMilli(toMs), Histogram: h,
	}
}

func TestRunFolderHoldsWhatWasWritten(t *testing.T) {
	w := newRun(t)
	want := resultstest.LocalPoint(resultstest.WithID("a"))
	want.Warnings = results.ReadWarnings("client CPU is saturated")
	log := must.Get(results.EncodeHlog([]results.Interval{interval(5, 6, 42)}))(t)
	must.Do(t, errors.Join(w.AppendEnv(map[string]any{"node": "here", "cpus": 2}), w.Append(&want, log)))

	r := must.Get(Open(w.Dir()))(t)
	sweep, err1 := r.Sweep()
	testbed, err2 := r.Testbed()
	env, _, err3 := r.Env()
	points, bad, err4 := r.Points()
	hists, err5 := r.Histograms("a")
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil || len(bad) > 0 {
		t.Fatal(err, bad)
	}
	if string(sweep) != "store: mica\n" || string(testbed) != "nodes: []\n" {
		t.Errorf("sweep %q, testbed %q", sweep, testbed)
	}
	if len(env) != 1 || string(env[0]) != `{"cpus":2,"node":"here"}` {
		t.Errorf("env %s", env)
	}
	want.HlogBytes, want.HlogCRC32C = int64(len(log)), checksum(log)
	want.Chain = points[0].Chain // chain_test.go
	got, _ := json.Marshal(points)
	wanted, _ := json.Marshal([]results.Point{want})
	if !bytes.Equal(got, wanted) {
		t.Errorf("points\n%s\nwant\n%s", got, wanted)
	}
	if len(hists) != 1 || hists[0].Histogram.TotalCount() != 1 {
		t.Errorf("histograms %v", hists)
	}
}

func TestNoTestbedFile(t *testing.T) {
	w := must.Get(Create(t.TempDir(), []byte("x"), nil))(t)
	defer w.Close()
	if got, err := w.Testbed(); got != nil || err != nil {
		t.Fatalf("got %q, %v", got, err)
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

func TestCorruptMiddleLinesAreNamedAndTheRestUsed(t *testing.T) {
	w := newRun(t)
	mustAppend(t, w, resultstest.LocalPoint(resultstest.WithID("a")))
	edit(t, w.Run, pointsFile, func(b []byte) []byte {
		return append(b, "{\"id\":\n\n[]\n{\"schema\":1}\n{\"schema\":99,\"id\":\"z\"}\n"+
			"{\"schema\":1,\"id\":\"z\",\"status\":\"so-so\"}\n"...)
	})
	must.Do(t, w.Close())
	w = must.Get(Resume(w.Dir()))(t)
	defer w.Close()
	mustAppend(t, w, resultstest.LocalPoint(resultstest.WithID("b")))

	ids, bad := pointIDs(t, w.Run)
	if !slices.Equal(ids, []string{"a", "b"}) {
		t.Errorf("points %q", ids)
	}
	want := []string{
		"points.jsonl, line 2: unexpected end",
		"points.jsonl, line 4: json: cannot unmarshal array",
		"points.jsonl, line 5: id: found none",
		"points.jsonl, line 6: schema: found 99, allowed: up to 1; a newer dpukv wrote it",
		`points.jsonl, line 7: status: found "so-so"`,
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

// TestFolderOfOtherThings: every reader refuses at once what is not a regular file.
func TestFolderOfOtherThings(t *testing.T) {
	for _, name := range []string{pointsFile, envFile, sweepFile} {
		w := newRun(t)
		must.Do(t, w.Close())
		path := filepath.Join(w.Dir(), name)
		must.Do(t, errors.Join(os.Remove(path), unix.Mkfifo(path, 0o600)))
		_, _, err1 := w.Points()
		_, _, err2 := w.Env()
		_, err3 := w.Sweep()
		again, err4 := Resume(w.Dir())
		if err4 == nil {
			_ = again.Close()
		}
		if name == sweepFile {
			err4 = nil // a caller that continues reads it first
		}
		want := name + ": found a pipe, allowed: a regular file"
		must.Fail(t, errors.Join(err1, err2, err3, err4), want)
	}
}
