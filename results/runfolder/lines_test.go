package runfolder

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
)

func TestLinesAreBounded(t *testing.T) {
	w := newRun(t)
	mustAppend(t, w, resultstest.LocalPoint(resultstest.WithID("a")))
	edit(t, w.Run, pointsFile, func(b []byte) []byte {
		b = append(b, bytes.Repeat([]byte("x"), maxLineBytes+1)...)
		b = append(b, '\n')
		b = fmt.Appendf(b, `{"id":"b","status":"ok","warnings":[%s""]}`+"\n", strings.Repeat(`"",`, maxLineValues))
		return append(b, strings.Repeat("no point\n", maxBadLines+5)...)
	})
	_, bad := pointIDs(t, w.Run)
	if len(bad) != maxBadLines+1 {
		t.Fatalf("%d bad lines, want %d", len(bad), maxBadLines+1)
	}
	if want := "points.jsonl, line 3: found 50005 values, allowed: at most 50000"; bad[1].String() != want {
		t.Errorf("got %s, want %s", bad[1], want)
	}
	want := "points.jsonl, line 2: found more bytes in the line, allowed: at most 1048576 bytes"
	if bad[0].String() != want {
		t.Errorf("got %s, want %s", bad[0], want)
	}
	if want := "points.jsonl: and 7 more lines"; bad[maxBadLines].String() != want {
		t.Errorf("got %s, want %s", bad[maxBadLines], want)
	}
}

// TestFilesAreBounded: a file that is too long is refused before anybody reads it, a writer's too.
func TestFilesAreBounded(t *testing.T) {
	for file, most := range map[string]int64{pointsFile: maxPointsBytes, envFile: maxOtherBytes} {
		w := newRun(t)
		must.Do(t, w.Close())
		path := filepath.Join(w.Dir(), file)
		must.Do(t, os.Truncate(path, 200<<30)) // sparse
		_, err := must.Get(Open(w.Dir()))(t).readLines(file, func([]byte) error { t.Error("it was read"); return nil })
		want := fmt.Sprintf("%s: found 214748364800 bytes, allowed: at most %d", path, most)
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		if _, err := Resume(w.Dir()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Resume: got %v, want %s", err, want)
		}
	}
}

// TestManyLinesAreRefused: before the first one is read.
func TestManyLinesAreRefused(t *testing.T) {
	w := newRun(t)
	edit(t, w.Run, pointsFile, func([]byte) []byte { return bytes.Repeat([]byte("{}\n"), 3*maxLines) })
	_, bad, err := w.All()
	must.Fail(t, err, "points.jsonl: found more lines, allowed: at most 1000000")
	if len(bad) > 0 {
		t.Errorf("found %d bad lines, want none", len(bad))
	}
}

// TestPointsAreBoundedInMemory: a line of two bytes for a value may take hundreds.
func TestPointsAreBoundedInMemory(t *testing.T) {
	defer func(most int64) { maxMemory = most }(maxMemory)
	maxMemory = 1 << 20
	w := newRun(t)
	edit(t, w.Run, pointsFile, func(b []byte) []byte {
		for i := range 400 {
			b = fmt.Appendf(b, "{\"id\":\"p%d\",\"status\":\"ok\"}\n", i)
		}
		return b
	})
	points, _, err := w.All()
	must.Fail(t, err, "found points that take more memory, allowed: at most 1048576 bytes")
	if len(points) < 100 || len(points) > 350 {
		t.Errorf("read %d points, want those of 1 MiB", len(points))
	}
}

// TestLongLinesAreNotWritten: a folder that dpukv wrote can be read.
func TestLongLinesAreNotWritten(t *testing.T) {
	w := newRun(t)
	err := w.AppendEnv(map[string]string{"node": strings.Repeat("x", maxLineBytes)})
	must.Fail(t, err, "allowed: at most 1048576")
	mustAppend(t, w, resultstest.LocalPoint(resultstest.WithID("a")))
	must.Do(t, w.Close())
	must.Get(Resume(w.Dir()))(t)
}

// TestManyPointsOfOneID: each is compared with all others at once.
func TestManyPointsOfOneID(t *testing.T) {
	const n = 5_000
	w := newRun(t)
	edit(t, w.Run, pointsFile, func(b []byte) []byte {
		for i := range n {
			b = fmt.Appendf(b, "{\"id\":\"p\",\"status\":\"ok\",\"keys\":%d}\n", i/2)
		}
		return b
	})
	points, bad, err := w.readPoints()
	if err != nil || len(points) != n/2 || points[n/2-1].ID != fmt.Sprint("p~", n/2) {
		t.Errorf("found %d points, %v, want half of %d", len(points), err, n)
	}
	if len(bad) != maxBadLines+1 {
		t.Errorf("found %d bad lines, want %d", len(bad), maxBadLines+1)
	}
}

// TestManyKeptLines: points of one ID are kept, copies are left out, and both are counted where
// they are too many to name.
func TestManyKeptLines(t *testing.T) {
	said := repeatedIDs{said: badLines{file: pointsFile}}
	var points []results.Point
	for i := range maxBadLines + 3 {
		p := resultstest.Point(resultstest.WithID("same"), func(p *results.Point) { p.Repeat = i })
		if !said.keeps(points, &p) {
			t.Fatalf("point %d is taken for a copy", i)
		}
		points = append(points, p)
	}
	copied := points[7]
	copied.ID = "same"
	list := said.said.all()
	if last := list[len(list)-1]; !last.Kept || last.Reason != "and 2 more lines" || points[2].ID != "same~3" {
		t.Errorf("found %+v at the end, and the ID %s", last, points[2].ID)
	}
	if said.keeps(points, &copied) {
		t.Error("a copy is kept")
	}
	list = said.said.all()
	if last := list[len(list)-1]; last.Kept || last.Reason != "and 3 more lines" {
		t.Errorf("with a copy: found %+v at the end", last)
	}
}
