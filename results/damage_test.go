package results

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestFolderChangedWhileWritten: no point leaves a hole, or goes where nobody looks.
func TestFolderChangedWhileWritten(t *testing.T) {
	for name, c := range map[string]struct {
		change func(path string) error
		want   string
	}{
		"cut":      {func(path string) error { return os.Truncate(path, 0) }, "found 0 bytes, wrote"},
		"grown":    {func(path string) error { return os.Truncate(path, 1<<20) }, "found 1048576 bytes, wrote"},
		"removed":  {os.Remove, "it was removed"},
		"replaced": {func(path string) error { return errors.Join(os.Remove(path), os.WriteFile(path, nil, 0o600)) }, "found another file in its place"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newRun(t)
			mustAppend(t, w, testPoint(withID("a")), testPoint(withID("b")))
			if err := w.Check(); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(w.Dir(), pointsFile)
			if err := c.change(path); err != nil {
				t.Fatal(err)
			}
			p := testPoint(withID("c"))
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
	mustAppend(t, w, testPoint(withID("a")))
	if err := os.Truncate(filepath.Join(w.Dir(), pointsFile), 10); err != nil {
		t.Fatal(err)
	}
	if err := w.Check(); !errors.Is(err, ErrChanged) {
		t.Errorf("got %v, want ErrChanged", err)
	}
}

// TestNoHole: even where a file is cut between the look and the write, no line follows zeros.
func TestNoHole(t *testing.T) {
	w := newRun(t)
	mustAppend(t, w, testPoint(withID("a")))
	if err := w.points.f.Truncate(0); err != nil {
		t.Fatal(err)
	}
	if _, err := w.points.f.WriteString("x\n"); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(w.Dir(), pointsFile)); err != nil || string(data) != "x\n" {
		t.Errorf("got %.20q, %v", data, err)
	}
}

func TestHistogramLogThatIsNotWhole(t *testing.T) {
	log, err := EncodeHlog([]Interval{
		{TagActual, time.UnixMilli(5), time.UnixMilli(6), histogramOf([]int64{42})},
		{TagActual, time.UnixMilli(6), time.UnixMilli(7), histogramOf([]int64{43})},
	})
	if err != nil {
		t.Fatal(err)
	}
	lastLine := bytes.LastIndexByte(log[:len(log)-1], '\n') + 1 // a log that is cut there reads well
	zeros := append(bytes.Clone(log[:len(log)-8]), make([]byte, 8)...)
	for name, c := range map[string]struct {
		damage     func(path string) error
		note, hist string
	}{
		"whole":         {func(string) error { return nil }, "", ""},
		"a line lost":   {func(path string) error { return os.Truncate(path, int64(lastLine)) }, "it is not whole", "it is not whole"},
		"empty":         {func(path string) error { return os.Truncate(path, 0) }, "found 0 bytes, its point says", "found 0 bytes"},
		"removed":       {os.Remove, "found no file, its point says", "no such file"},
		"zeros instead": {func(path string) error { return os.WriteFile(path, zeros, 0o600) }, "", "found the checksum"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newRun(t)
			p := testPoint(withID("a"))
			if err := w.Append(&p, log); err != nil {
				t.Fatal(err)
			}
			if err := c.damage(w.histPath("a")); err != nil {
				t.Fatal(err)
			}
			ids, bad := pointIDs(t, w.Run)
			if len(ids) != 1 || (c.note == "") != (len(bad) == 0) {
				t.Fatalf("points %q, notes %v, want %q", ids, bad, c.note)
			}
			if c.note != "" && !(strings.HasPrefix(bad[0].String(), "hist/a.hlog: ") && strings.Contains(bad[0].String(), c.note)) {
				t.Errorf("noted %s, want %s", bad[0], c.note)
			}
			_, err := w.Histograms("a")
			if c.hist == "" && err != nil || c.hist != "" && (err == nil || !strings.Contains(err.Error(), c.hist)) {
				t.Errorf("histograms: %v, want %q", err, c.hist)
			}
		})
	}
}

func TestEmptiedSweepIsNoted(t *testing.T) {
	w := newRun(t)
	edit(t, w.Run, sweepFile, func([]byte) []byte { return nil })
	want := "sweep.yaml: found nothing in it: what was asked for is lost"
	if _, bad := pointIDs(t, w.Run); len(bad) != 1 || bad[0].String() != want {
		t.Errorf("noted %v", bad)
	}
}

// TestFolderOfOtherThings: what is no file is refused at once, whoever reads.
func TestFolderOfOtherThings(t *testing.T) {
	for _, name := range []string{pointsFile, envFile, sweepFile} {
		w := newRun(t)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(w.Dir(), name)
		if err := errors.Join(os.Remove(path), unix.Mkfifo(path, 0o600)); err != nil {
			t.Fatal(err)
		}
		_, _, err1 := w.Points()
		_, _, err2 := w.Env()
		_, err3 := w.Sweep()
		again, err4 := Resume(w.Dir())
		if err4 == nil {
			_ = again.Close()
		}
		if name == sweepFile {
			err4 = nil // whoever continues reads it before
		}
		want := name + ": found a pipe, allowed: a regular file"
		if err := errors.Join(err1, err2, err3, err4); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s as a pipe: got %v", name, err)
		}
	}
}

func TestLinesAreBounded(t *testing.T) {
	w := newRun(t)
	mustAppend(t, w, testPoint(withID("a")))
	edit(t, w.Run, pointsFile, func(b []byte) []byte {
		b = append(b, bytes.Repeat([]byte("x"), maxLineBytes+1)...)
		b = append(b, '\n')
		return append(b, strings.Repeat("no point\n", maxBadLines+5)...)
	})
	_, bad := pointIDs(t, w.Run)
	if len(bad) != maxBadLines+1 {
		t.Fatalf("%d bad lines, want %d", len(bad), maxBadLines+1)
	}
	if want := "points.jsonl, line 2: found more bytes, allowed: at most 4194304"; bad[0].String() != want {
		t.Errorf("got %s, want %s", bad[0], want)
	}
	if want := "points.jsonl: and 6 lines more"; bad[maxBadLines].String() != want {
		t.Errorf("got %s, want %s", bad[maxBadLines], want)
	}
}
