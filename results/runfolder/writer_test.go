package runfolder

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
)

func TestResumeMeasuresWhatIsMissing(t *testing.T) {
	w := newRun(t)
	mustAppend(t, w, resultstest.LocalPoint(resultstest.WithID("ok")),
		resultstest.LocalPoint(resultstest.WithID("bad"), resultstest.Failed("server died")))
	must.Do(t, w.Close())
	w = must.Get(Resume(w.Dir()))(t)
	defer w.Close()
	if !w.Done("ok") || w.Done("bad") || w.Done("never") || len(w.Repairs()) != 0 {
		t.Fatalf("done: ok %v, bad %v, never %v; repairs %q", w.Done("ok"), w.Done("bad"), w.Done("never"), w.Repairs())
	}
	p := resultstest.LocalPoint(resultstest.WithID("ok"))
	if err := w.Append(&p, nil); err == nil {
		t.Error("a point that is done was written again")
	}
	mustAppend(t, w, resultstest.LocalPoint(resultstest.WithID("bad")))
	if ids, _ := pointIDs(t, w.Run); !w.Done("bad") || !slices.Equal(ids, []string{"ok", "bad"}) {
		t.Errorf("after measuring it again: done %v, points %q", w.Done("bad"), ids)
	}
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
				must.Do(t, os.WriteFile(filepath.Join(dir, file), []byte(content), 0o666))
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

func TestAppendRefusesWhatCanNotBeWritten(t *testing.T) {
	w := newRun(t)
	for _, id := range []string{"", "../up", "a b", ".hidden", "a\nb", "é", strings.Repeat("x", 201)} {
		if err := w.Append(&results.Point{Identity: results.Identity{ID: id}}, nil); err == nil {
			t.Errorf("id %q was accepted", id)
		}
	}
	p := resultstest.LocalPoint()
	p.ClientCPUShare = math.NaN()
	must.Fail(t, w.Append(&p, nil), p.ID)
	if ids, bad := pointIDs(t, w.Run); len(ids)+len(bad) != 0 {
		t.Errorf("points %q, bad lines %v", ids, bad)
	}
	if _, err := w.Histograms("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("histograms of no point: %v", err)
	}
}

func TestNoListIsNull(t *testing.T) {
	w := newRun(t)
	p := resultstest.LocalPoint()
	mustAppend(t, w, *resultstest.FailedOnly(&p))
	edit(t, w.Run, pointsFile, func(b []byte) []byte {
		if bytes.Contains(b, []byte("null")) {
			t.Errorf("null in %s", b)
		}
		return b
	})
}

// smallDisk mounts a file system of this size. It needs root.
func smallDisk(t *testing.T, bytes int) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("dpukv-test", dir, "tmpfs", 0, fmt.Sprintf("size=%d", bytes)); err != nil {
		t.Skipf("no full disk to test with: mounting a tmpfs: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil { // open folders stay in use
			t.Errorf("unmount %s: %v", dir, err)
		}
	})
	return dir
}

func TestFullDisk(t *testing.T) {
	const disk = 64 << 10
	for name, hlog := range map[string][]byte{
		"points.jsonl": nil,
		".hlog":        make([]byte, 3000),
	} {
		t.Run(name, func(t *testing.T) {
			w, err := Create(filepath.Join(smallDisk(t, disk), "run"), []byte("x"), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			var written []string
			for i := 0; ; i++ {
				p := resultstest.LocalPoint(resultstest.WithID(fmt.Sprint(i)))
				if err = w.Append(&p, hlog); err != nil {
					break
				}
				written = append(written, p.ID)
			}
			if !errors.Is(err, unix.ENOSPC) || !strings.Contains(err.Error(), name) {
				t.Errorf("got %v, want ENOSPC that names %s", err, name)
			}
			if ids, bad := pointIDs(t, w.Run); len(written) == 0 || !slices.Equal(ids, written) || len(bad) != 0 {
				t.Errorf("written %q, read %q, bad lines %v", written, ids, bad)
			}
			if w.Done(fmt.Sprint(len(written))) {
				t.Error("the point that failed counts as done")
			}
			// The disk is still full; continuing must not make it worse.
			_ = w.Close()
			again := must.Get(Resume(w.Dir()))(t)
			defer again.Close()
			if !again.Done(written[len(written)-1]) || len(again.Repairs()) != 0 {
				t.Errorf("after the disk was full: repairs %q", again.Repairs())
			}
		})
	}
}
